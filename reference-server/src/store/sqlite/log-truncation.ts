import { setTimeout as pause } from "node:timers/promises";
import { type Connection } from "./connection.ts";

const pauseBetweenAttemptsInMs = 50;
/** How much later an erase is answered because a reader still holds erased pages. */
const patienceForReadersInMs = 2000;

/** Moves the log into the database, where freed space was overwritten, and cuts it to nothing; false while it is read. */
function truncateLog(connection: Connection): boolean {
  const [result] = connection.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
  return result?.busy === 0;
}

/** Takes erased text off the disk; goes on behind the answer when a long reader holds the log (decision D104). */
export class LogTruncation {
  readonly #connection: Connection;
  readonly #stopping = new AbortController();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Resolves when the log is gone, or after two seconds while further attempts go on. */
  async run(): Promise<void> {
    if (await this.#attempt(patienceForReadersInMs)) return;
    this.#attempt(Infinity).catch(() => undefined);
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #attempt(patienceInMs: number): Promise<boolean> {
    const { signal } = this.#stopping;
    for (let waited = 0; waited <= patienceInMs; waited += pauseBetweenAttemptsInMs) {
      if (signal.aborted || truncateLog(this.#connection)) return true;
      await pause(pauseBetweenAttemptsInMs, undefined, { ref: false, signal }).catch(() => undefined);
    }
    return false;
  }
}
