import { describe, expect, it } from "vitest";
import { StoreUnavailable } from "../store/store-unavailable.ts";
import { ExportTurns } from "./export-turns.ts";

const atOnce = async () => undefined;
const present = () => new AbortController().signal;

describe("turns to export", () => {
  it("are one at a time for a project, in the order of asking", async () => {
    const turns = new ExportTurns(atOnce);
    const order: string[] = [];
    const first = await turns.take("p", false, present());
    const waiting = ["second", "third"].map(async (name) => {
      const turn = await turns.take("p", false, present());
      order.push(name);
      return turn;
    });
    await Promise.resolve();
    expect(order).toEqual([]);
    first.end();
    (await waiting[0]!).end();
    (await waiting[1]!).end();
    expect(order).toEqual(["second", "third"]);
  });

  it("of other projects, and of persons, do not wait", async () => {
    const turns = new ExportTurns(atOnce);
    await turns.take("p", false, present());
    await expect(turns.take("q", false, present())).resolves.toBeDefined();
    await expect(turns.take("p", true, present())).resolves.toBeDefined();
  });

  it("may be ended twice, and the next is not skipped for it", async () => {
    const turns = new ExportTurns(atOnce);
    const first = await turns.take("p", false, present());
    first.end();
    first.end();
    const next = await turns.take("p", false, present());
    first.end();
    let isTaken = false;
    const waiting = turns.take("p", false, present()).then(() => (isTaken = true));
    await Promise.resolve();
    expect(isTaken).toBe(false);
    next.end();
    await waiting;
  });

  it("are refused while four exports of the project are open, and sixteen of persons", async () => {
    const turns = new ExportTurns(atOnce);
    for (const [isOfPerson, most] of [
      [false, 4],
      [true, 16],
    ] as const) {
      const open = [];
      for (let index = 0; index < most; index++) {
        const turn = await turns.take("p", isOfPerson, present());
        turn.end();
        open.push(turn);
      }
      await expect(turns.take("p", isOfPerson, present())).rejects.toThrow(StoreUnavailable);
      await turns.take("q", isOfPerson, present());
      open[0]!.leave();
      open[0]!.leave();
      const next = await turns.take("p", isOfPerson, present());
      await expect(turns.take("p", isOfPerson, present())).rejects.toThrow(StoreUnavailable);
      next.end();
    }
  });

  it("go to the next once a client has read for ten minutes: the slowest is cut, and none before that", async () => {
    let now = 0;
    const turns = new ExportTurns(atOnce, () => now);
    const open = [];
    for (; open.length < 4; now += 60_000) {
      const turn = await turns.take("p", false, present());
      turn.end();
      open.push(turn);
    }
    now = 600_000 - 1;
    await expect(turns.take("p", false, present())).rejects.toThrow(StoreUnavailable);
    now = 600_000;
    const fifth = await turns.take("p", false, present());
    expect([...open, fifth].map(({ cut }) => cut.aborted)).toEqual([true, false, false, false, false]);
    open[0]!.leave();
    await expect(turns.take("p", false, present())).rejects.toThrow(StoreUnavailable);
  });

  it("are not cut while the database is still being read", async () => {
    let now = 0;
    const turns = new ExportTurns(atOnce, () => now);
    const reading = await turns.take("p", false, present());
    const waiting = [1, 2, 3].map(() => turns.take("p", false, present()));
    now = 3_600_000;
    await expect(turns.take("p", false, present())).rejects.toThrow(StoreUnavailable);
    expect(reading.cut.aborted).toBe(false);
    reading.end();
    for (const turn of waiting) (await turn).end();
  });

  it("are given up when the client goes, and those behind keep their order", async () => {
    const turns = new ExportTurns(atOnce);
    const first = await turns.take("p", false, present());
    const gone = new AbortController();
    const given = turns.take("p", false, gone.signal);
    let isTaken = false;
    const behind = turns.take("p", false, present()).then(() => (isTaken = true));
    gone.abort();
    await expect(given).rejects.toThrow("disconnected");
    await Promise.resolve();
    expect(isTaken).toBe(false);
    first.end();
    await behind;
  });

  it("are given up by a client that had gone before, also as the first", async () => {
    const turns = new ExportTurns(atOnce);
    await expect(turns.take("p", false, AbortSignal.abort())).rejects.toThrow("disconnected");
    await turns.take("p", false, present());
  });

  it("do not begin before a client that hangs up at once has been noticed", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turns = new ExportTurns(() => promise);
    const gone = new AbortController();
    const given = turns.take("p", false, gone.signal);
    gone.abort();
    await expect(given).rejects.toThrow("disconnected");
    resolve();
    await turns.take("p", false, present());
  });
});
