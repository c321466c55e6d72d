import { statSync } from "node:fs";
import { setTimeout as systemPause } from "node:timers/promises";
import { type Connection } from "./connection.ts";
import { Reserve, reservedBytes } from "./reserve.ts";
import { isDiskFull } from "./sqlite-error.ts";

/** Doubles with each attempt, up to the longest. */
const firstPauseInMs = 50;
const longestPauseInMs = 10_000;
/** How long an erasure waits for readers that still hold erased pages. */
const patienceForReadersInMs = 2000;

/** As of `node:timers/promises`. */
export type Pause = typeof systemPause<void>;

/**
 * Moves the write-ahead log into the database, where freed space was overwritten, and empties it; false while a reader
 * holds it.
 */
export function truncateLog(connection: Connection): boolean {
  const [result] = connection.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
  return result?.busy === 0;
}

/** By how much the database grows when all of the log is moved into it. */
function growthInBytes(connection: Connection): number {
  const size = (name: string) => connection.pragma(name, { simple: true }) as number;
  return size("page_count") * size("page_size") - statSync(connection.name).size;
}

/** Takes erased text off the disk; continues after the erasure's reply if a long read holds the log (decision D104). */
export class LogTruncation {
  readonly #connection: Connection;
  readonly #reserve: Reserve;
  readonly #onFailure: (error: unknown) => void;
  readonly #pause: Pause;
  readonly #stopping = new AbortController();
  /** Shared by all erasures that wait for a reader: each attempt blocks for some milliseconds. */
  #attempts: Promise<void> | undefined;
  #isHeld = false;
  #isFinished = false;

  /**
   * @param onFailure called with attempts that failed for another reason than a reader
   * @param pause Default: the system's timers.
   */
  constructor(connection: Connection, onFailure: (error: unknown) => void, pause: Pause = systemPause) {
    this.#connection = connection;
    this.#reserve = Reserve.beside(connection.name);
    this.#onFailure = onFailure;
    this.#pause = pause;
  }

  /**
   * Resolves when the log is gone, or after two seconds while further attempts go on. Never fails: what it comes after
   * is committed. After `finish` there is nothing to do: that came after all commits.
   */
  async run(): Promise<void> {
    if (this.#isFinished || this.#attempt()) return;
    this.#attempts ??= this.#goOn();
    const answered = new AbortController();
    // Keeps the process alive: a command must not end before it has printed its result.
    const tooLate = this.#waits(patienceForReadersInMs, true, answered.signal);
    await Promise.race([this.#attempts, tooLate]);
    answered.abort();
  }

  /** Whether the log may have text that was erased here. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Call last, before the database is closed. Also truncates what another process left in the log. */
  finish(): void {
    this.stop();
    const wasHeld = this.#isHeld;
    this.#attempt();
    this.#isHeld &&= wasHeld;
    this.#isFinished = true;
  }

  /** Retries until one attempt succeeds. */
  async #goOn(): Promise<void> {
    for (
      let pauseInMs = firstPauseInMs;
      this.#isHeld;
      pauseInMs = Math.min(2 * pauseInMs, longestPauseInMs)
    ) {
      await this.#waits(pauseInMs, false);
      if (this.#stopping.signal.aborted) break;
      if (this.#isHeld) this.#attempt();
    }
    this.#attempts = undefined;
  }

  #attempt(): boolean {
    this.#isHeld = true;
    try {
      this.#isHeld = !this.#truncate();
    } catch (error) {
      this.#onFailure(error);
    }
    return !this.#isHeld;
  }

  /** On a full disk uses the reserve, if that is large enough; truncating makes room for it again. */
  #truncate(): boolean {
    const truncate = () => truncateLog(this.#connection);
    try {
      return truncate();
    } catch (error) {
      const isOfUse = isDiskFull(error) && growthInBytes(this.#connection) <= reservedBytes;
      const isCut = isOfUse ? this.#reserve.spendOn(truncate) : undefined;
      if (isCut === undefined) throw error;
      return isCut;
    }
  }

  /** @param ref whether the process has to live until then */
  async #waits(pauseInMs: number, ref: boolean, until?: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, ...(until ? [until] : [])]);
    await this.#pause(pauseInMs, undefined, { ref, signal }).catch(() => undefined);
  }
}
