import { describe, expect, it } from "vitest";
import { Load } from "./load.ts";
import { Overloaded } from "./overloaded.ts";

const reasonOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error instanceof Overloaded ? error.reason : error;
  }
  return undefined;
};

function entered(load: Load) {
  const permit = load.permit();
  permit.enter();
  return permit;
}

describe("the load", () => {
  it("admits its limit of requests at once, and another when one has left", () => {
    const load = new Load({ requests: 2 });
    const first = entered(load);
    entered(load);
    expect(reasonOf(() => load.permit())).toBe("requests");
    first.leave();
    entered(load);
    expect(load.requestsInFlight).toBe(2);
  });

  it("gives no slot to a request with an incomplete body", () => {
    const load = new Load({ requests: 1 });
    const unfinished = load.permit();
    unfinished.awaitBody("192.0.2.1");
    expect([load.requestsInFlight, load.unfinishedRequests]).toEqual([0, 1]);
    entered(load).leave();
    unfinished.enter();
    expect([load.requestsInFlight, load.unfinishedRequests]).toEqual([1, 0]);
  });

  it("limits incomplete requests per address", () => {
    const load = new Load({ unfinishedPerAddress: 2 });
    const [one, two, three] = [load.permit(), load.permit(), load.permit()];
    one.awaitBody("192.0.2.1");
    two.awaitBody("192.0.2.1");
    expect(reasonOf(() => three.awaitBody("192.0.2.1"))).toBe("unfinished");
    three.leave();
    load.permit().awaitBody("192.0.2.2");
    one.leave();
    load.permit().awaitBody("192.0.2.1");
    expect(load.unfinishedRequests).toBe(3);
  });

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

  it("remembers for a minute why it refused", () => {
    let now = 0;
    const load = new Load({ requests: 0, stopwatch: () => now });
    expect(load.recentlyShed).toEqual([]);
    reasonOf(() => load.permit());
    expect(load.recentlyShed).toEqual(["requests"]);
    now = 60_000;
    expect(load.recentlyShed).toEqual([]);
  });

  it("still admits requests while the server stops", () => {
    const load = new Load();
    load.drain();
    expect(load.isDraining).toBe(true);
    entered(load).leave();
  });
});
