import { type Connection } from "./connection.ts";

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

/** Takes erased text off the disk; continues after the erasure's reply if a long read holds the log. */
export class LogTruncation {
  /** Makes one attempt; false while a reader holds the log. */
  truncate: () => boolean;
  /** Receives why the log could not be emptied, if not because of a reader. It is tried again. */
  onFailure: (error: unknown) => void = () => undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Whether the log may have text that was erased here. */
  isHeld = false;
  #isStopped = false;

  constructor(connection: Connection) {
    this.truncate = () => truncateLog(connection);
  }

  /** Resolves when the log is gone, or after two seconds while further attempts go on. Never fails: the erasure is committed. */
  async run(): Promise<void> {
    let failure: unknown;
    for (let left = patienceInMs / pauseInMs; left >= 0 && !this.#isStopped; left--) {
      failure = this.#attempt();
      if (!this.isHeld) return;
      await new Promise((resolve) => setTimeout(resolve, pauseInMs));
    }
    if (this.#isStopped) return;
    this.#report(failure);
    this.#retry ??= setInterval(() => this.#report(this.#attempt()), retriedEveryInMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#retry);
  }

  /** Call last, before the database is closed. Also truncates what another process left in the log. */
  finish(): void {
    this.stop();
    const wasHeld = this.isHeld;
    this.#report(this.#attempt());
    this.isHeld &&= wasHeld;
  }

  #report(failure: unknown): void {
    if (failure !== undefined) this.onFailure(failure);
  }

  /** Returns why it failed, if not because of a reader. */
  #attempt(): unknown {
    this.isHeld = true;
    try {
      this.isHeld = !this.truncate();
    } catch (error) {
      return error;
    }
    if (this.isHeld) return undefined;
    clearInterval(this.#retry);
    this.#retry = undefined;
  }
}
