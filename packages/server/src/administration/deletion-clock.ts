import { dayInMs, hourInMs } from "@afterword/protocol/duration";
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
/** Maximum lead over the newest timestamp in the database, before the first clean-up. */
const believableGapInMs = 30 * 24 * hourInMs;

export interface ClockReading {
  /** Milliseconds since 1970. */
  now: number;
  /**
   * How far `now` is ahead of the last clean-up and the time since, and before the first clean-up, of the newest record.
   * Negative: behind. 0 in an empty database.
   */
  aheadInMs: number;
  /** Whether nothing has been cleaned up before. */
  isFirst: boolean;
  /** Whether nothing may be deleted, because the clock may be wrong. */
  isHeld: boolean;
  /** This node's clock minus the database's; absent where the database has none of its own. */
  skewInMs?: number;
}

type CleanUps = Pick<StoreAdministration, "lastCleanUp" | "recordCleanUp" | "now">;
type NewestRecord = Pick<StoreAdministration, "newestRecordAt">;

/**
 * The time by which data is deleted. A clock that has jumped ahead must not delete what is not old yet: each clean-up
 * stores its time, and a clock more than an hour ahead of that and the monotonic time since is not believed until it
 * has been steady for 24 hours, or an operator accepts it (decision O75). Before the first clean-up it may be 30 days ahead of
 * the newest record, as in a project that has few answers.
 */
export class DeletionClock {
  readonly #cleanUps: CleanUps;
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** Before this process could store any by a wrong clock. */
  readonly #newestRecordAt: number | undefined;
  /** The last clean-up that was read, and the monotonic time from which its age is counted here. */
  #last?: { at: number; since: number };
  /** Wall clock minus monotonic clock, and the monotonic time since when that is so. */
  #steady?: { offset: number; since: number };

  /**
   * @param clock the database's own is used in place of the system's; an injected one overrides both
   * @param newestRecordAt of the database as it is now
   */
  constructor(cleanUps: CleanUps, clock: Clock, newestRecordAt?: number) {
    this.#cleanUps = cleanUps;
    this.#clock = clock;
    this.#startedAt = monotonicNow(clock);
    this.#newestRecordAt = newestRecordAt;
  }

  static async open(cleanUps: CleanUps & NewestRecord, clock: Clock): Promise<DeletionClock> {
    return new DeletionClock(cleanUps, clock, await cleanUps.newestRecordAt());
  }

  /** Changes nothing. */
  async read(): Promise<ClockReading> {
    const last = await this.#cleanUps.lastCleanUp();
    const own = this.#clock.now();
    const database = this.#clock === systemClock ? await this.#cleanUps.now?.() : undefined;
    const now = database ?? own;
    const monotonic = monotonicNow(this.#clock);
    const isFirst = last === undefined;
    const aheadInMs = now - (isFirst ? (this.#newestRecordAt ?? now) : this.#expected(last, monotonic));
    const isConvincing = this.#steadyForMs(now, monotonic) >= convincingUptimeInMs;
    const isHeld = aheadInMs > (isFirst ? believableGapInMs : toleratedJumpInMs) && !isConvincing;
    return { now, aheadInMs, isFirst, isHeld, ...(database !== undefined && { skewInMs: own - database }) };
  }

  /** The time to delete by, stored as that of the last clean-up; nothing where the clock is not believed. */
  async forCleanUp(): Promise<number | undefined> {
    const { now, isHeld } = await this.read();
    if (isHeld) return undefined;
    await this.#cleanUps.recordCleanUp(now);
    return now;
  }

  /** Believes the clock as it is, on every node: an operator has looked at it. Returns its time. */
  async accept(): Promise<number> {
    const { now } = await this.read();
    await this.#cleanUps.recordCleanUp(now);
    return now;
  }

  #expected(last: number, monotonic: number): number {
    // After a restart the time since is counted from the start, and after another node's clean-up from now.
    if (last !== this.#last?.at) this.#last = { at: last, since: this.#last ? monotonic : this.#startedAt };
    return last + monotonic - this.#last.since;
  }

  #steadyForMs(now: number, monotonic: number): number {
    const offset = now - monotonic;
    this.#steady ??= { offset, since: this.#startedAt };
    if (Math.abs(offset - this.#steady.offset) > toleratedJumpInMs)
      this.#steady = { offset, since: monotonic };
    return monotonic - this.#steady.since;
  }
}

/** Advice for a clock that is not trusted; also logged. */
export const heldClockAdvice =
  "Nothing is deleted until the clock has been steady for 24 hours of uptime. If it is right, run: " +
  "afterword-server retention --clock-is-right";

/** Says how far a clock that is not trusted is off, after "The clock is". */
export const heldClock = ({ aheadInMs, isFirst }: ClockReading) =>
  isFirst
    ? `${Math.floor(aheadInMs / dayInMs)} days ahead of the newest answer, and nothing has been cleaned up before`
    : `${(aheadInMs / hourInMs).toFixed(1)} h ahead of the last clean-up and the time since`;

/** Says whether the clock differs from the database's. */
export const isSkewed = ({ skewInMs = 0 }: ClockReading) => Math.abs(skewInMs) > toleratedClockDifferenceInMs;
export const skewedClock = ({ skewInMs = 0 }: ClockReading) =>
  `${Math.round(Math.abs(skewInMs) / 1000)} s ${skewInMs < 0 ? "behind" : "ahead of"} the database's`;
