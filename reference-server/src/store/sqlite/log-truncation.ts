import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type Connection } from "./connection.ts";
import { Reserve, reservedBytes } from "./reserve.ts";
import { isDiskFull } from "./sqlite-error.ts";

/** How long an erasure waits for readers that still hold erased pages. */
const patienceInMs = 2000;
const pauseInMs = 100;
const retriedEveryInMs = 10_000;

/**
 * Moves the write-ahead log into the database, where freed space was overwritten, and empties it; false while a reader
 * holds it.
 */
export function truncateLog(connection: Connection): boolean {
  const [result] = connection.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
  return result?.busy === 0;
}

/** How much the database grows when all of the log is moved into it. */
function growthInBytes(connection: Connection): number {
  const size = (name: string) => connection.pragma(name, { simple: true }) as number;
  return size("page_count") * size("page_size") - statSync(connection.name).size;
}

/** Takes erased text off the disk; continues after the erasure's reply if a long read holds the log. */
export class LogTruncation {
  readonly #connection: Connection;
  readonly #reserve: Reserve;
  readonly #onFailure: (error: unknown) => void;
  #retry: NodeJS.Timeout | undefined;
  #isHeld = false;
  #isStopped = false;

  /** @param onFailure called with attempts that failed for another reason than a reader */
  constructor(connection: Connection, onFailure: (error: unknown) => void) {
    this.#connection = connection;
    this.#reserve = Reserve.beside(connection.name);
    this.#onFailure = onFailure;
  }

  /** Resolves when the log is gone, or after two seconds while further attempts go on. Never fails: the erasure is committed. */
  async run(): Promise<void> {
    const pauses = patienceInMs / pauseInMs;
    for (let pause = 0; !this.#isStopped && !this.#attempt() && pause < pauses; pause++)
      await delay(pauseInMs);
    if (this.#isStopped || !this.#isHeld) return;
    this.#retry ??= setInterval(() => this.#attempt(), retriedEveryInMs).unref();
  }

  /** Whether the log may have text that was erased here. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#retry);
  }

  /** Call last, before the database is closed. Also truncates what another process left in the log. */
  finish(): void {
    this.stop();
    const wasHeld = this.#isHeld;
    this.#attempt();
    this.#isHeld &&= wasHeld;
  }

  #attempt(): boolean {
    this.#isHeld = true;
    try {
      this.#isHeld = !this.#truncate();
    } catch (error) {
      this.#onFailure(error);
    }
    if (!this.#isHeld) {
      clearInterval(this.#retry);
      this.#retry = undefined;
    }
    return !this.#isHeld;
  }

  /** On a full disk uses the reserve, if that is large enough; truncating makes room for it again. */
  #truncate(): boolean {
    const truncate = () => truncateLog(this.#connection);
    try {
      return truncate();
    } catch (error) {
      const isReserveEnough = isDiskFull(error) && growthInBytes(this.#connection) <= reservedBytes;
      const isCut = isReserveEnough ? this.#reserve.withReserveFreed(truncate) : undefined;
      if (isCut === undefined) throw error;
      return isCut;
    }
  }
}
