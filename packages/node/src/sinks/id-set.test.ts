import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { IdSet } from "./id-set.ts";

const idOf = (number: number) => `rsp_${number.toString(36).padStart(24, "0")}`;

it("an id that was added is known, and no other", () => {
  const ids = new IdSet();
  expect(ids.has("")).toBe(false);
  for (const id of ["", "a", "A", "\u{1f600}", "a"]) ids.add(id);
  expect(["", "a", "A", "\u{1f600}", "b", "a "].map((id) => ids.has(id))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  for (let number = 0; number < 20_000; number += 1) ids.add(idOf(number));
  for (let number = 0; number < 20_000; number += 1) {
    expect(ids.has(idOf(number))).toBe(true);
    expect(ids.has(idOf(number + 20_000))).toBe(false);
  }
  expect(ids.has("A")).toBe(true);
});

it("a hundred thousand ids take at most 32 bytes each", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const used = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  const ids = new IdSet();
  for (let number = 0; number < 100_000; number += 1) ids.add(idOf(number));
  const perId = (used() - before) / 100_000;
  expect(ids.has(idOf(99_999))).toBe(true);
  expect(perId).toBeLessThan(33);
});
