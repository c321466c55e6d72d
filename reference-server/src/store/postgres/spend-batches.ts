import { StoreUnavailable, type SpendOutcome } from "../store.ts";
import { type ConnectionPool } from "./connection-pool.ts";
import { isCollision, isBrokenConnection } from "./postgres-error.ts";
import { readSpentToken, spendAll, type Attempt, type SpendRequest } from "./spending.ts";

interface Waiting {
  spending: SpendRequest;
  resolve: (outcome: SpendOutcome) => void;
  reject: (error: unknown) => void;
}

export interface BatchSettings {
  /** Records in one statement at most. Default 128. */
  batchSize?: number;
  /**
   * Statements on their way at a time. Default 2: while one waits for the disk the other one works. More of them carry
   * less each, which costs both sides more processor time per record than the flushes that are saved.
   */
  parallel?: number;
  /** Records that may wait; beyond, they fail at once. Default 5,000. */
  capacity?: number;
}

const tries = 5;

/**
 * Group commit: what arrives while the statements before are on their way shares the next one. With few requests each
 * travels alone and at once; with many, round trips, parsing and flushes to disk are shared.
 */
export class SpendBatches {
  readonly #pool: ConnectionPool;
  readonly #patientPool: ConnectionPool;
  readonly #settings: Required<BatchSettings>;
  #waiting: Waiting[] = [];
  readonly #travelling = new Set<Promise<void>>();
  readonly #patient = new Set<Promise<void>>();
  #isScheduled = false;

  /** @param patientPool for records of a project that is being purged, so that other records do not wait for them */
  constructor(pool: ConnectionPool, patientPool: ConnectionPool, settings: BatchSettings = {}) {
    this.#pool = pool;
    this.#patientPool = patientPool;
    this.#settings = { batchSize: 128, parallel: 2, capacity: 5000, ...settings };
  }

  /** Resolves when the record is on disk, or when it is certain that it never will be. */
  spend(spending: SpendRequest): Promise<SpendOutcome> {
    if (this.#waiting.length >= this.#settings.capacity) {
      return Promise.reject(new StoreUnavailable("too many writes are waiting"));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ spending, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when nothing is waiting or on its way any more. */
  async drain(): Promise<void> {
    for (;;) {
      const journeys = [...this.#travelling, ...this.#patient];
      if (journeys.length > 0) await Promise.race(journeys);
      else if (this.#waiting.length > 0) await new Promise(setImmediate);
      else return;
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#travelling.size >= this.#settings.parallel || this.#waiting.length === 0)
      return;
    this.#isScheduled = true;
    // After the current turn of the event loop: all requests that have arrived by then join the batch.
    setImmediate(() => {
      this.#isScheduled = false;
      const { batchSize, parallel } = this.#settings;
      // An even share for each connection that is free: together they are faster than one with everything.
      const share = Math.ceil(this.#waiting.length / (parallel - this.#travelling.size));
      this.#track(this.#travelling, this.#send(this.#waiting.splice(0, Math.min(share, batchSize))));
      this.#schedule();
    });
  }

  #track(journeys: Set<Promise<void>>, journey: Promise<void>): void {
    const ending = journey.finally(() => {
      journeys.delete(ending);
      this.#schedule();
    });
    journeys.add(ending);
  }

  /** Never rejects: every record of the batch is answered. */
  async #send(batch: readonly Waiting[], waits = false): Promise<void> {
    try {
      const attempts = await this.#spendAll(
        batch.map(({ spending }) => spending),
        waits,
      );
      const locked = batch.filter((_, index) => attempts[index] === "locked");
      if (locked.length > 0) this.#track(this.#patient, this.#send(locked, true));
      await Promise.all(batch.map((waiting, index) => this.#answer(waiting, attempts[index]!)));
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreUnavailable)
        batch.forEach(({ reject }) => reject(error));
      // One of them is at fault and took the others with it: each travels alone.
      else for (const waiting of batch) await this.#send([waiting], waits);
    }
  }

  /** Safe to send again after a lost connection: a record that was stored already is found by its own id. */
  async #spendAll(spendings: readonly SpendRequest[], waits: boolean): Promise<Attempt[]> {
    const pool = waits ? this.#patientPool : this.#pool;
    for (let attempt = 1; ; attempt++) {
      try {
        return await pool.use((connection) => spendAll(connection, spendings, waits));
      } catch (error) {
        const cause = error instanceof Error ? error.cause : undefined;
        const mayRetry = isCollision(cause) || (isBrokenConnection(cause) && attempt === 1);
        if (!mayRetry || attempt === tries) throw error;
      }
    }
  }

  async #answer({ spending, resolve, reject }: Waiting, attempt: Attempt): Promise<void> {
    if (attempt === "locked") return;
    if (attempt !== "lost") return resolve(attempt);
    try {
      resolve(await this.#spent(spending));
    } catch (error) {
      reject(error);
    }
  }

  /** Read after the statement that lost: only now is the winner's commit visible. */
  async #spent({ record }: SpendRequest): Promise<SpendOutcome> {
    const { projectId, tokenId } = record.token;
    const existing = await this.#pool.read((connection) => readSpentToken(connection, projectId, tokenId));
    if (existing === undefined) throw new StoreUnavailable("the token's record was removed meanwhile");
    return existing.id === record.id ? { outcome: "stored" } : { outcome: "spent", existing };
  }
}
