// @vitest-environment node
import { describe, expect, it } from "vitest";
import { aFullStorage } from "../../../fixtures/test-page.ts";
import { createStore, wipe } from "./store.ts";

const blocked = (): Storage => {
  throw new DOMException("denied", "SecurityError");
};
const places: [string, () => Storage | null, boolean][] = [
  ["on the device", keep({} as Storage), true],
  ["in memory where it is not allowed", keep({} as Storage), false],
  ["in memory where storage is blocked", blocked, true],
  ["in memory where storage is full", keep(aFullStorage()), true],
  ["in memory where there is no storage", () => null, true],
];

function keep(storage: Storage) {
  return () => storage;
}

describe("writing", () => {
  it("tells whether the value outlives the page", () => {
    const outlives = places.map(([, open, isAllowed]) =>
      createStore(open, "q:", () => isAllowed).write("x", "1"),
    );
    expect(outlives).toEqual([true, false, false, false, false]);
  });

  it("touches nothing outside its own names", () => {
    const storage = { cart: "3" } as unknown as Storage;
    const store = createStore(keep(storage), "p:", () => true);
    store.write("cart", "mine");
    wipe(store);
    expect(storage).toEqual({ cart: "3" });
  });

  it("what could not be kept at first is kept once there is room, and read from one place", () => {
    let isAllowed = false;
    const storage = {} as Storage;
    const store = createStore(keep(storage), "p:", () => isAllowed);
    store.write("x", "early");
    isAllowed = true;
    expect(store.read("x")).toBe("early");
    store.write("x", "late");
    expect(storage).toEqual({ "p:x": "late" });
    expect(store.names("")).toEqual(["x"]);
  });
});
