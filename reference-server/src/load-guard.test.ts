import { describe, expect, it } from "vitest";
import { LoadGuard } from "./load-guard.ts";
import { StoreUnavailable } from "./store/store-unavailable.ts";

describe("the load guard", () => {
  it("lets so many requests in at once, and another when one has left", () => {
    const guard = new LoadGuard({ requests: 2 });
    guard.enter(0);
    guard.enter(0);
    expect(() => guard.enter(0)).toThrow(StoreUnavailable);
    guard.leave(0);
    guard.enter(0);
    expect(guard.requestsInFlight).toBe(2);
  });

  it("bounds the bytes of all bodies together", () => {
    const guard = new LoadGuard({ bodyBytes: 100 });
    guard.enter(60);
    expect(() => guard.enter(41)).toThrow(StoreUnavailable);
    guard.enter(40);
    guard.leave(60);
    guard.enter(60);
  });

  it("lets nobody in while the server stops", () => {
    const guard = new LoadGuard();
    guard.drain();
    expect(guard.isDraining).toBe(true);
    expect(() => guard.enter(0)).toThrow("stopping");
  });
});
