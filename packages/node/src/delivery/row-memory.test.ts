import { describe, expect, it } from "vitest";
import { mostDeferred, RowMemory } from "./row-memory.ts";

const until = (notBefore: number) => ({ reason: "503", notBefore, isRefusal: false });

describe("rows that were put off", () => {
  it("are not free before their time, and are counted by walk", () => {
    const memory = new RowMemory();
    const first = memory.nextWalk;
    memory.beginWalk();
    expect([memory.defer("a", until(100), 0), memory.defer("a", until(200), 0)]).toEqual([1, 2]);
    expect([memory.isFree("a", 199), memory.isFree("a", 200), memory.isFree("b", 0)]).toEqual([
      false,
      true,
      true,
    ]);
    const second = memory.nextWalk;
    memory.beginWalk();
    expect([memory.deferredSince(first), memory.deferredSince(second)]).toEqual([1, 0]);
    memory.isFree("a", 0);
    expect(memory.deferredSince(second)).toBe(1);
  });

  it("are forgotten when a whole walk does not list them: others have delivered or erased them", () => {
    const memory = new RowMemory();
    memory.beginWalk();
    for (const id of ["listed", "gone", "under way"]) memory.defer(id, until(0), 0);
    memory.hold("under way");
    memory.beginWalk();
    memory.isFree("listed", 0);
    memory.endWalk();
    expect(["listed", "gone", "under way"].map((id) => memory.attemptsOf(id))).toEqual([1, 0, 1]);
  });

  it("are never forgotten for others: when there are too many, what is not known has to wait", () => {
    const memory = new RowMemory();
    memory.beginWalk();
    for (let row = 0; row < mostDeferred; row += 1) memory.defer(`row-${row}`, until(0), 0);
    expect([memory.isFree("row-0", 0), memory.isFree("new", 0), memory.isFull]).toEqual([true, false, true]);
    memory.settle("row-0");
    expect([memory.isFree("new", 0), memory.isFull]).toEqual([true, false]);
  });
});
