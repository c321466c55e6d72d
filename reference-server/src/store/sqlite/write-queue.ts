import { setTimeout as delay } from "node:timers/promises";
import { StoreUnavailable } from "../store.ts";
import { type Connection } from "./connection.ts";
import { isBusy, storeError } from "./sqlite-error.ts";

interface Write {
  run: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  /** When it was requested, by the stopwatch. */
  requestedAt: number;
  /** Whether it was in a batch that failed: it may be the cause, so it is tried in a transaction of its own. */
  isAlone?: boolean;
}

export interface WriteQueueSettings {
  /** Writes in one transaction at most. Default 256. */
  batchSize?: number;
  /** Writes that may wait; further ones fail at once. Default 5,000. */
  capacity?: number;
  /** How long a write waits for another writer. Default 5,000 ms. */
  patienceInMs?: number;
  /** Milliseconds of a clock that only ever goes forward. Default: the system's. */
  stopwatch?: () => number;
}

const pauseInMs = 5;

/** Turns of the event loop that a batch may gather for (decision O98). */
const mostTurns = 16;

/**
 * Group commit: writes that arrive within a few turns of the event loop, or wait for another writer together, share a
 * transaction. One flush to disk per batch instead of one per write, and still a write is on disk when its promise resolves.
 */
export class WriteQueue {
  readonly #connection: Connection;
  readonly #settings: Required<WriteQueueSettings>;
  #waiting: Write[] = [];
  #isScheduled = false;
  #idle: Promise<void> = Promise.resolve();
  #lent: Promise<unknown> | undefined;

  constructor(connection: Connection, settings: WriteQueueSettings = {}) {
    this.#connection = connection;
    this.#settings = {
      batchSize: 256,
      capacity: 5000,
      patienceInMs: 5000,
      stopwatch: () => performance.now(),
      ...settings,
    };
  }

  /** Runs a synchronous write inside a transaction; resolves when it is on disk. */
  write<T>(run: () => T): Promise<T> {
    if (this.#waiting.length >= this.#settings.capacity) {
      return Promise.reject(new StoreUnavailable("too many writes are waiting"));
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, resolve, reject, requestedAt: this.#settings.stopwatch() });
      this.#schedule();
    });
  }

  /**
   * Runs a write on another connection of this process, one at a time; queued writes wait for it as for another process.
   */
  async lend<T>(write: () => Promise<T>): Promise<T> {
    // An attempt to begin would block for as long as the driver waits, if a batch is just about to be committed.
    if (this.#isScheduled && !this.#lent) await this.#idle;
    while (this.#lent) {
      await this.#lent;
      // Writes that have waited for one loan do not wait for the next as well.
      if (this.#isScheduled) await this.#idle;
    }
    const written = write();
    const lent = written.then(
      () => undefined,
      () => undefined,
    );
    this.#lent = lent;
    try {
      return await written;
    } catch (error) {
      throw storeError(error);
    } finally {
      this.#lent = undefined;
    }
  }

  /** Resolves when nothing is waiting any more. */
  async drain(): Promise<void> {
    while (this.#isScheduled || this.#lent) await (this.#lent ?? this.#idle);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#idle = new Promise((resolve) => {
      this.#gather(0, 1, () => {
        this.#writeBatch()
          .finally(() => {
            this.#isScheduled = false;
            if (this.#waiting.length > 0) this.#schedule();
            resolve();
          })
          .catch(() => undefined);
      });
    });
  }

  /** Lets writes join the batch while each turn of the event loop brings some: a flush to disk costs more. */
  #gather(seen: number, turn: number, then: () => void): void {
    setImmediate(() => {
      const { length } = this.#waiting;
      const isGrowing = length > seen && length < this.#settings.batchSize;
      if (isGrowing && turn < mostTurns) this.#gather(length, turn + 1, then);
      else then();
    });
  }

  /** Commits one batch; after one that failed, also each of its writes alone. */
  async #writeBatch(): Promise<void> {
    do {
      try {
        if (!(await this.#begin())) return;
      } catch (error) {
        this.#nextBatch().forEach(({ reject }) => reject(storeError(error)));
        continue;
      }
      this.#commit(this.#nextBatch());
    } while (this.#waiting[0]?.isAlone);
  }

  #nextBatch(): Write[] {
    return this.#waiting.splice(0, this.#waiting[0]?.isAlone ? 1 : this.#settings.batchSize);
  }

  /** Resolves the writes of a batch. If the batch fails, each gets a transaction of its own: one of them is at fault. */
  #commit(batch: readonly Write[]): void {
    let results: unknown[];
    try {
      results = batch.map(({ run }) => run());
      this.#connection.exec("COMMIT");
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec("ROLLBACK");
      if (batch.length > 1) this.#waiting.unshift(...batch.map((write) => ({ ...write, isAlone: true })));
      else batch[0]!.reject(storeError(error));
      return;
    }
    batch.forEach(({ resolve }, index) => resolve(results[index] as never));
  }

  /**
   * Waits between attempts while another writer is active, so that reads are answered meanwhile. False when every write
   * has timed out.
   * @throws when beginning would never succeed
   */
  async #begin(): Promise<boolean> {
    while (!this.#tryToBegin()) {
      this.#refuseTimedOut();
      if (this.#waiting.length === 0) return false;
      await delay(pauseInMs);
    }
    return true;
  }

  /** Those at the front have waited longest. */
  #refuseTimedOut(): void {
    const { stopwatch, patienceInMs } = this.#settings;
    const latest = stopwatch() - patienceInMs;
    while (this.#waiting[0] && this.#waiting[0].requestedAt <= latest) {
      const reason = `another ${this.#lent ? "connection" : "process"} is writing`;
      this.#waiting.shift()!.reject(new StoreUnavailable(reason));
    }
  }

  #tryToBegin(): boolean {
    // An attempt would block for as long as the driver waits, for nothing.
    if (this.#lent) return false;
    try {
      this.#connection.exec("BEGIN IMMEDIATE");
      return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
      return false;
    }
  }
}
