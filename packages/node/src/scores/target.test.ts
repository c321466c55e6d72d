import { describe, expect, it } from "vitest";
import { missingTarget, targetMemory } from "./target.ts";

describe("the memory of targets", () => {
  it("asks once for a target that was found", async () => {
    const look = targetMemory<string>();
    let asked = 0;
    const find = async () => ({ target: `trace-${(asked += 1)}` });
    expect(await look("a", find)).toEqual({ target: "trace-1" });
    expect(await look("a", find)).toEqual({ target: "trace-1" });
    expect(asked).toBe(1);
  });

  it("lets look-ups of one key at one time share one question", async () => {
    const look = targetMemory<string>();
    let asked = 0;
    const find = async () => ({ target: `trace-${(asked += 1)}` });
    const found = await Promise.all([look("a", find), look("a", find), look("b", find)]);
    expect(found).toEqual([{ target: "trace-1" }, { target: "trace-1" }, { target: "trace-2" }]);
  });

  it("asks again for what was not found, and after an error", async () => {
    const look = targetMemory<string>();
    expect(await look("a", async () => ({ outcome: "retry", reason: "not there" }))).toMatchObject({
      outcome: "retry",
    });
    await expect(look("a", () => Promise.reject(new Error("down")))).rejects.toThrow("down");
    expect(await look("a", async () => ({ target: "t" }))).toEqual({ target: "t" });
  });

  it("forgets the one not used for longest when it is full", async () => {
    const look = targetMemory<string>();
    const asked: string[] = [];
    const ask = (key: string) =>
      look(key, async () => {
        asked.push(key);
        return { target: key };
      });
    const others = Array.from({ length: 9999 }, (_, index) => String(index));
    for (const key of ["a", "b", "a", ...others, "a", "b"]) await ask(key);
    expect(asked).toEqual(["a", "b", ...others, "b"]);
  });
});

describe("a target that is not there", () => {
  const at = "2026-11-21T08:00:00.000Z";
  const dayLater = Date.parse("2026-11-22T08:00:00.000Z");

  it("is waited for until the score is a day old, then given up", () => {
    expect(missingTarget({ at }, "no trace", dayLater)).toEqual({ outcome: "retry", reason: "no trace" });
    expect(missingTarget({ at }, "no trace", dayLater + 1)).toEqual({
      outcome: "permanent",
      reason: "no trace",
    });
  });
});
