import { setTimeout as delay } from "node:timers/promises";
import { StoreUnavailable } from "../store.ts";
import { type Connection } from "./connection.ts";
import { isBusy, storeError } from "./sqlite-error.ts";

interface Write {
  run: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

export interface WriteQueueSettings {
  /** Writes in one transaction at most. Default 256. */
  batchSize?: number;
  /** Writes that may wait; beyond, they fail at once. Default 5,000. */
  capacity?: number;
  /** How long another process may hold the database. Default 5,000 ms. */
  patienceInMs?: number;
}

const pauseInMs = 5;

/** Turns of the event loop that a batch may gather for. */
const mostTurns = 16;

/**
 * Group commit: whatever was asked for while the last transaction went to disk shares the next one, and is answered
 * after it. One flush to disk per batch instead of one per write, at the same promise: resolved means on disk.
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
    this.#settings = { batchSize: 256, capacity: 5000, patienceInMs: 5000, ...settings };
  }

  /** Runs a synchronous write inside a transaction; resolves when it is on disk. */
  write<T>(run: () => T): Promise<T> {
    if (this.#waiting.length >= this.#settings.capacity) {
      return Promise.reject(new StoreUnavailable("too many writes are waiting"));
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, resolve, reject });
      this.#schedule();
    });
  }

  /**
   * Lets another connection of this process write, one after the other; what is asked for meanwhile waits as it would for
   * another process.
   */
  async lend<T>(write: () => Promise<T>): Promise<T> {
    while (this.#lent) await this.#lent;
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
        this.#flush()
          .finally(() => {
            this.#isScheduled = false;
            if (this.#waiting.length > 0) this.#schedule();
            resolve();
          })
          .catch(() => undefined);
      });
    });
  }

  /** Lets requests join the batch for as long as each turn of the event loop brings some: a flush costs more than a turn. */
  #gather(seen: number, turn: number, then: () => void): void {
    setImmediate(() => {
      const { length } = this.#waiting;
      const isGrowing = length > seen && length < this.#settings.batchSize;
      if (isGrowing && turn < mostTurns) this.#gather(length, turn + 1, then);
      else then();
    });
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#settings.batchSize);
    if (await this.#commit(batch)) return;
    // One of them failed and took the others with it: each gets a transaction of its own.
    for (const write of batch) await this.#commit([write]);
  }

  /** Whether every write of the batch was answered. */
  async #commit(batch: readonly Write[]): Promise<boolean> {
    const failAll = (error: unknown) => batch.forEach(({ reject }) => reject(storeError(error)));
    try {
      await this.#begin();
    } catch (error) {
      failAll(error);
      return true;
    }
    let results: unknown[];
    try {
      results = batch.map(({ run }) => run());
      this.#connection.exec("COMMIT");
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.exec("ROLLBACK");
      if (batch.length > 1) return false;
      failAll(error);
      return true;
    }
    batch.forEach(({ resolve }, index) => resolve(results[index] as never));
    return true;
  }

  /** Waits for other writers between attempts, so that reads are answered meanwhile. */
  async #begin(): Promise<void> {
    for (let waited = 0; !this.#tryToBegin(waited >= this.#settings.patienceInMs); waited += pauseInMs) {
      await delay(pauseInMs);
    }
  }

  /** @throws when it is the last attempt, or would never succeed */
  #tryToBegin(isLast: boolean): boolean {
    // An attempt would block for as long as the driver waits, for nothing.
    if (this.#lent && !isLast) return false;
    try {
      this.#connection.exec("BEGIN IMMEDIATE");
      return true;
    } catch (error) {
      if (isLast || !isBusy(error)) throw error;
      return false;
    }
  }
}
