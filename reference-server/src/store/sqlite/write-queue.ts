import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { StoreUnavailable } from "../store.ts";
import { type Connection } from "./connection.ts";
import { isBusy, storeError } from "./sqlite-error.ts";

interface Write {
  run: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  /** When it was requested, by `performance.now()`. */
  requestedAt: number;
}

/** Writes in one transaction at most. */
const batchSize = 256;
/** Writes that may wait; further ones fail at once. */
const capacity = 5000;
/** How long a write waits for another writer. */
const patienceInMs = 5000;
const pauseInMs = 5;

/** Turns of the event loop that a batch may gather for: a flush to disk costs more than these. */
const mostTurns = 16;

/**
 * Group commit: writes that arrive within a few turns of the event loop, or wait for another writer together, share a
 * transaction. One flush to disk per batch instead of one per write, and still a write is on disk when its promise resolves.
 */
export class WriteQueue {
  readonly #connection: Connection;
  readonly #check: () => void;
  #waiting: Write[] = [];
  #running: Promise<void> | undefined;

  /**
   * @param connection one that fails at once while another one is writing
   * @param check throws before a transaction that would be lost
   */
  constructor(connection: Connection, check: () => void) {
    this.#connection = connection;
    this.#check = check;
  }

  /** Runs a synchronous write inside a transaction; resolves when it is on disk. */
  write<T>(run: () => T): Promise<T> {
    if (this.#waiting.length >= capacity)
      return Promise.reject(new StoreUnavailable("too many writes are waiting"));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, resolve, reject, requestedAt: performance.now() });
      this.#running ??= this.#writeAll();
    });
  }

  /** Resolves when nothing is waiting any more. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      const batch = this.#waiting.slice(0, batchSize);
      const left = this.#tryToWrite(batch);
      this.#waiting.splice(0, batch.length, ...left);
      if (left.length === 0) continue;
      this.#refuseTimedOut();
      // Reads are answered meanwhile.
      await delay(pauseInMs);
    }
    this.#running = undefined;
  }

  /** Lets writes join the batch while each turn of the event loop brings some: a flush to disk costs more. */
  async #gather(): Promise<void> {
    for (let turn = 1, seen = 0; turn <= mostTurns; turn++) {
      await nextTurn();
      const { length } = this.#waiting;
      if (length <= seen || length >= batchSize) return;
      seen = length;
    }
  }

  /** Commits a batch and settles its writes. Returns those that have to wait, because another connection is writing. */
  #tryToWrite(batch: readonly Write[]): readonly Write[] {
    let results: unknown[];
    try {
      this.#check();
      results = this.#connection.transaction(() => batch.map(({ run }) => run())).immediate();
    } catch (error) {
      if (isBusy(error)) return batch;
      // One of them is at fault: each gets a transaction of its own.
      if (batch.length > 1) return batch.flatMap((write) => this.#tryToWrite([write]));
      batch[0]!.reject(storeError(error));
      return [];
    }
    batch.forEach(({ resolve }, index) => resolve(results[index] as never));
    return [];
  }

  /** Refuses from the front, where writes have waited longest. */
  #refuseTimedOut(): void {
    const latest = performance.now() - patienceInMs;
    while (this.#waiting[0] && this.#waiting[0].requestedAt <= latest)
      this.#waiting.shift()!.reject(new StoreUnavailable("another connection is writing"));
  }
}
