import { describe, expect, it } from "vitest";
import { ExportTurns } from "./export-turns.ts";

describe("turns to export", () => {
  it("are one at a time for a project, in the order of asking", async () => {
    const turns = new ExportTurns();
    const order: string[] = [];
    const endFirst = await turns.take("p");
    const second = turns.take("p").then((end) => {
      order.push("second");
      return end;
    });
    const third = turns.take("p").then((end) => {
      order.push("third");
      return end;
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    endFirst();
    (await second)();
    (await third)();
    expect(order).toEqual(["second", "third"]);
  });

  it("of other projects do not wait", async () => {
    const turns = new ExportTurns();
    await turns.take("p");
    await expect(turns.take("q")).resolves.toBeTypeOf("function");
  });

  it("may be ended twice, and the next is not skipped for it", async () => {
    const turns = new ExportTurns();
    const end = await turns.take("p");
    end();
    end();
    const endNext = await turns.take("p");
    end();
    let isTaken = false;
    const waiting = turns.take("p").then(() => (isTaken = true));
    await Promise.resolve();
    expect(isTaken).toBe(false);
    endNext();
    await waiting;
  });
});
