import { hourInMs } from "@afterword/protocol/duration";
import {
  type Clock,
  monotonicNow,
  systemClock,
  toleratedJumpInMs,
} from "@afterword/reference-server/internal";
import { type StoreAdministration } from "../store/administration.ts";

const convincingUptimeInMs = 24 * hourInMs;
/** Half of the leeway that tokens allow between clocks. */
export const toleratedClockDifferenceInMs = 30_000;

export interface ClockReading {
  /** Milliseconds since 1970. */
  now: number;
  /** How far `now` is ahead of the last clean-up and the time since; 0 before the first. Negative: behind. */
  aheadInMs: number;
  /** Whether nothing may be deleted, because the clock may be wrong. */
  isHeld: boolean;
  /** This node's clock minus the database's; absent where the database has none of its own. */
  skewInMs?: number;
}

type CleanUps = Pick<StoreAdministration, "lastCleanUp" | "recordCleanUp" | "now">;

/** The time by which data is deleted. */
export interface DeletionClock {
  /** Changes nothing. */
  read(): Promise<ClockReading>;
  /** The time to delete by, stored as that of the last clean-up; nothing where the clock is not believed. */
  forCleanUp(): Promise<number | undefined>;
  /** Believes the clock as it is, on every node: an operator has looked at it. Returns its time. */
  accept(): Promise<number>;
}

/**
 * A clock that has jumped ahead must not delete what is not old yet: each clean-up stores its time, and a clock more than an
 * hour ahead of that and the monotonic time since is not believed until it has been steady for 24 hours, or an operator
 * accepts it (decision O75).
 * @param clock the database's own is used in place of the system's; an injected one overrides both
 */
export function deletionClockOf(cleanUps: CleanUps, clock: Clock): DeletionClock {
  const startedAt = monotonicNow(clock);
  /** The last clean-up that was read, and the monotonic time from which its age is counted here. */
  let known: { at: number; since: number } | undefined;
  /** Wall clock minus monotonic clock, and the monotonic time since when that is so. */
  let steady: { offset: number; since: number } | undefined;

  function expected(last: number, monotonic: number): number {
    // After a restart the time since is counted from the start, and after another node's clean-up from now.
    if (last !== known?.at) known = { at: last, since: known ? monotonic : startedAt };
    return last + monotonic - known.since;
  }

  function steadyForMs(offset: number, monotonic: number): number {
    steady ??= { offset, since: startedAt };
    if (Math.abs(offset - steady.offset) > toleratedJumpInMs) steady = { offset, since: monotonic };
    return monotonic - steady.since;
  }

  async function read(): Promise<ClockReading> {
    const last = await cleanUps.lastCleanUp();
    const own = clock.now();
    const database = clock === systemClock ? await cleanUps.now?.() : undefined;
    const now = database ?? own;
    const monotonic = monotonicNow(clock);
    const aheadInMs = last === undefined ? 0 : now - expected(last, monotonic);
    const isConvincing = steadyForMs(now - monotonic, monotonic) >= convincingUptimeInMs;
    const isHeld = aheadInMs > toleratedJumpInMs && !isConvincing;
    return { now, aheadInMs, isHeld, ...(database !== undefined && { skewInMs: own - database }) };
  }

  async function record({ now }: ClockReading): Promise<number> {
    await cleanUps.recordCleanUp(now);
    return now;
  }

  return {
    read,
    async forCleanUp() {
      const reading = await read();
      return reading.isHeld ? undefined : record(reading);
    },
    accept: async () => record(await read()),
  };
}

/** Advice for a clock that is not trusted; also logged. */
export const heldClockAdvice =
  "Nothing is deleted until the clock has been steady for 24 hours of uptime. If it is right, run: " +
  "afterword-server retention --clock-is-right";

/** Says how far a clock that is not trusted is off, after "The clock is". */
export const heldClock = ({ aheadInMs }: ClockReading) =>
  `${(aheadInMs / hourInMs).toFixed(1)} h ahead of the last clean-up and the time since`;

/** Says whether the clock differs from the database's. */
export const isSkewed = ({ skewInMs = 0 }: ClockReading) => Math.abs(skewInMs) > toleratedClockDifferenceInMs;
export const skewedClock = ({ skewInMs = 0 }: ClockReading) =>
  `${Math.round(Math.abs(skewInMs) / 1000)} s ${skewInMs < 0 ? "behind" : "ahead of"} the database's`;
