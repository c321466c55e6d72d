import { describe, expect, it } from "vitest";
import { Load } from "./load.ts";
import { StoreUnavailable } from "../store/store-unavailable.ts";

describe("the load guard", () => {
  it("lets so many requests in at once, and another when one has left", () => {
    const guard = new Load({ requests: 2 });
    const first = guard.enter();
    guard.enter();
    expect(() => guard.enter()).toThrow(StoreUnavailable);
    first.leave();
    guard.enter();
    expect(guard.requestsInFlight).toBe(2);
  });

  it("bounds the bytes of all bodies together, as they arrive", () => {
    const guard = new Load({ bodyBytes: 100 });
    const [one, other] = [guard.enter(), guard.enter()];
    one.hold(30);
    one.hold(30);
    expect(() => other.hold(41)).toThrow(StoreUnavailable);
    other.hold(40);
    one.leave();
    other.hold(60);
  });

  it("lets nobody in while the server stops", () => {
    const guard = new Load();
    guard.drain();
    expect(guard.isDraining).toBe(true);
    expect(() => guard.enter()).toThrow("stopping");
  });
});
