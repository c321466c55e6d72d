import { describe, expect, it } from "vitest";
import { SeenIds } from "./seen-ids.ts";

describe("the ids that a file holds", () => {
  it("has what was added and nothing else, also after it has grown", () => {
    const ids = new SeenIds();
    for (let n = 0; n < 20_000; n += 1) ids.add(`id-${n}`);
    expect(ids.size).toBe(20_000);
    for (let n = 0; n < 20_000; n += 1) expect(ids.has(`id-${n}`)).toBe(true);
    for (let n = 20_000; n < 40_000; n += 1) expect(ids.has(`id-${n}`)).toBe(false);
  });

  it("are told apart by 128 bits of their hashes", () => {
    const ids = new SeenIds((id) => Buffer.from(id.padEnd(32, "x")));
    ids.add("the same 12...1");
    expect(ids.has("the same 12...2")).toBe(false);
    expect(ids.has("the same 12...1")).toBe(true);
  });

  it("counts an id that is added twice once", () => {
    const ids = new SeenIds();
    ids.add("a");
    ids.add("a");
    expect(ids.size).toBe(1);
  });
});
