import { execFileSync } from "node:child_process";
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

it("two hundred thousand ids take at most 22 bytes each", () => {
  // In a process of its own, whose memory nothing else changes.
  const script = `
    const { IdSet } = await import(${JSON.stringify(new URL("id-set.ts", import.meta.url).href)});
    const used = () => (gc(), gc(), process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers);
    const [before, ids] = [used(), new IdSet()];
    for (let number = 0; number < 200_000; number += 1) ids.add("response-" + number);
    console.log((used() - before) / 200_000, ids.has("response-0"));`;
  const flags = ["--expose-gc", "--input-type=module", "--eval", script];
  const [perId, isKnown] = execFileSync(process.execPath, flags, { encoding: "utf8" }).trim().split(" ");
  expect(isKnown).toBe("true");
  expect(Number(perId)).toBeLessThan(22);
});
