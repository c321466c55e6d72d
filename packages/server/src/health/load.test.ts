import { describe, expect, it } from "vitest";
import { Refusal } from "@afterword/reference-server/internal";
import { Load } from "./load.ts";

const reasonOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error instanceof Refusal ? error.details.shed : error;
  }
  return undefined;
};

describe("the load", () => {
  it("limits the bytes of all bodies together, as they arrive", () => {
    const load = new Load({ bodyBytes: 100 });
    const [one, other] = [load.permit(), load.permit()];
    one.hold(30);
    one.hold(30);
    expect(reasonOf(() => other.hold(41))).toBe("body-bytes");
    other.hold(40);
    one.leave();
    other.hold(60);
  });

  it("lets one address use an eighth of those bytes for incomplete bodies", () => {
    const load = new Load({ bodyBytes: 80 });
    const [one, two, other] = [load.permit(), load.permit(), load.permit()];
    one.awaitBody("192.0.2.1");
    two.awaitBody("192.0.2.1");
    one.hold(6);
    expect(reasonOf(() => two.hold(5))).toBe("unfinished");
    other.awaitBody("192.0.2.2");
    other.hold(10);
    one.leave();
    two.hold(10);
  });
});
