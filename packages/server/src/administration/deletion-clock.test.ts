import { describe, expect, it } from "vitest";
import { deletionClockOf } from "./deletion-clock.ts";

const hourInMs = 3_600_000;
const dayInMs = 24 * hourInMs;

/** A database, and a process on it whose clock can be set. */
function processOn(database: { last?: number }, skew = { ms: 0 }, uptime = { ms: 0 }) {
  const clock = {
    now: () => Date.parse("2026-11-22T12:00:00.000Z") + uptime.ms + skew.ms,
    monotonic: () => 5000 + uptime.ms,
  };
  const cleanUps = {
    lastCleanUp: async () => database.last,
    recordCleanUp: async (at: number) => void (database.last = at),
  };
  return { clock, skew, uptime, deletionClock: deletionClockOf(cleanUps, clock) };
}

describe("the clock that deletions go by", () => {
  it("is believed before the first clean-up, and each clean-up stores its time", async () => {
    const database: { last?: number } = {};
    const { deletionClock, clock, uptime } = processOn(database);
    expect(await deletionClock.forCleanUp()).toBe(clock.now());
    uptime.ms = 10 * dayInMs;
    expect(await deletionClock.forCleanUp()).toBe(clock.now());
    expect(database.last).toBe(clock.now());
  });

  it("is not believed when it jumps ahead by more than an hour, and is again when it is set right", async () => {
    const database: { last?: number } = {};
    const { deletionClock, skew, uptime } = processOn(database);
    const last = await deletionClock.forCleanUp();
    uptime.ms = 30 * dayInMs;
    skew.ms = hourInMs + 1;
    expect(await deletionClock.forCleanUp()).toBeUndefined();
    expect(await deletionClock.read()).toMatchObject({ isHeld: true, aheadInMs: hourInMs + 1 });
    expect(database.last).toBe(last);
    skew.ms = hourInMs;
    expect(await deletionClock.forCleanUp()).toBeDefined();
  });

  it("is believed after 24 hours of steady uptime, counted anew when it is set again", async () => {
    const { deletionClock, skew, uptime } = processOn({ last: Date.parse("2026-01-01T00:00:00.000Z") });
    uptime.ms = dayInMs - 1;
    expect(await deletionClock.forCleanUp()).toBeUndefined();
    skew.ms = 2 * hourInMs;
    uptime.ms = dayInMs;
    expect(await deletionClock.forCleanUp()).toBeUndefined();
    uptime.ms = 2 * dayInMs - 1;
    expect(await deletionClock.forCleanUp()).toBeUndefined();
    uptime.ms = 2 * dayInMs;
    expect(await deletionClock.forCleanUp()).toBeDefined();
  });

  it("may be ahead by an hour and the uptime after a restart", async () => {
    const database: { last?: number } = {};
    const before = processOn(database);
    await before.deletionClock.forCleanUp();
    const after = processOn(database, { ms: hourInMs });
    after.uptime.ms = 600_000;
    expect(await after.deletionClock.forCleanUp()).toBeDefined();
    await before.deletionClock.accept();
    const late = processOn(database, { ms: hourInMs + 1 });
    expect(await late.deletionClock.forCleanUp()).toBeUndefined();
  });

  it("is believed by every process once an operator has accepted it in one", async () => {
    const database = { last: Date.parse("2026-01-01T00:00:00.000Z") };
    const [server, command] = [processOn(database), processOn(database)];
    expect(await server.deletionClock.forCleanUp()).toBeUndefined();
    expect(await command.deletionClock.accept()).toBe(command.clock.now());
    expect(await server.deletionClock.forCleanUp()).toBe(server.clock.now());
  });

  it("follows the clean-ups of other nodes, which may come at any time", async () => {
    const database: { last?: number } = {};
    const [one, other] = [processOn(database), processOn(database)];
    for (let hours = 0; hours < 50; hours++) {
      one.uptime.ms = other.uptime.ms = hours * hourInMs;
      expect(await (hours % 7 === 0 ? other : one).deletionClock.forCleanUp()).toBeDefined();
    }
  });

  it("deletes less when it is set back, and stores that", async () => {
    const database: { last?: number } = {};
    const { deletionClock, skew, clock } = processOn(database);
    await deletionClock.forCleanUp();
    skew.ms = -5 * dayInMs;
    expect(await deletionClock.forCleanUp()).toBe(clock.now());
    expect(database.last).toBe(clock.now());
  });
});
