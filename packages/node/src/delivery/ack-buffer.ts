import type { ScoreResult } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import { ApiError } from "../errors/api-error.ts";
import { backoffInMs, type Backoff } from "../http/backoff.ts";
import type { Clock } from "../options/clock.ts";

export interface AckBufferOptions {
  /** Sends one acknowledgement of at most 200 results. */
  send: (results: readonly ScoreResult[]) => Promise<unknown>;
  clock: Clock;
  random: () => number;
  /** The longest that a result waits for its batch to fill, in milliseconds. */
  intervalInMs: number;
  /** Called with results that the service has confirmed, or will never accept. */
  onSettled: (results: readonly ScoreResult[]) => void;
  /** Called with each failure to acknowledge; the results are kept. */
  onFailure: (error: unknown) => void;
}

const backoff: Backoff = { firstInMs: 500, longestInMs: 30_000 };

/** How many results may wait for their acknowledgement before pushing pauses. */
const capacity = 5000;

/** Statuses that refuse the results themselves, so that a retry cannot help. */
const refusingStatuses = new Set([400, 413, 422]);

/** Collects acknowledgements, sends up to 200 at once, and keeps them until the service has confirmed them. */
export class AckBuffer {
  readonly #options: AckBufferOptions;
  #results: ScoreResult[] = [];
  #sending: Promise<void> | undefined;
  #timer: AbortController | undefined;
  #isResting = true;
  #failures = 0;

  constructor(options: AckBufferOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#results.length;
  }

  get isFull(): boolean {
    return this.#results.length >= capacity;
  }

  add(result: ScoreResult): void {
    this.#results.push(result);
    if (this.#results.length >= limits.results && this.#failures === 0) this.#flushWholeBatches();
    else this.#arm();
  }

  /** Sends all results. Rejects if the service does not confirm them; then they are kept. */
  async flush(): Promise<void> {
    while (this.#results.length > 0) await this.#sendOnce();
  }

  /** From now on, sends by a timer, including what an earlier run left. */
  wake(): void {
    this.#isResting = false;
    this.#arm();
  }

  /** From now on, sends only in `flush`: a timer would keep an idle process alive. */
  rest(): void {
    this.#isResting = true;
    this.#disarm();
  }

  /** Milliseconds to wait before the next attempt after a failure. */
  get pauseInMs(): number {
    return this.#failures === 0 ? 0 : backoffInMs(backoff, this.#failures, this.#options.random);
  }

  #flushWholeBatches(): void {
    if (this.#sending) return;
    void this.#sendOnce().then(
      () => (this.#results.length >= limits.results ? this.#flushWholeBatches() : this.#arm()),
      () => this.#arm(),
    );
  }

  #sendOnce(): Promise<void> {
    this.#sending ??= this.#sendNext().finally(() => (this.#sending = undefined));
    return this.#sending;
  }

  #arm(): void {
    if (this.#timer || this.#isResting || this.#results.length === 0) return;
    const timer = new AbortController();
    this.#timer = timer;
    const { clock, intervalInMs } = this.#options;
    void clock.sleep(Math.max(intervalInMs, this.pauseInMs), timer.signal).then(() => {
      if (this.#timer === timer) this.#timer = undefined;
      // Failures go to onFailure, and the timer tries again.
      return timer.signal.aborted ? undefined : this.flush().catch(() => this.#arm());
    });
  }

  #disarm(): void {
    this.#timer?.abort();
    this.#timer = undefined;
  }

  async #sendNext(): Promise<void> {
    const batch = this.#results.slice(0, limits.results);
    try {
      await this.#sendOrSplit(batch);
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#options.onFailure(error);
      throw error;
    }
  }

  /** A refused result must not hold back the others, so the batch is split in half until it stands alone. */
  async #sendOrSplit(batch: readonly ScoreResult[]): Promise<void> {
    try {
      await this.#options.send(batch);
    } catch (error) {
      if (!ApiError.isInstance(error) || !refusingStatuses.has(error.status)) throw error;
      if (batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        await this.#sendOrSplit(batch.slice(0, middle));
        return this.#sendOrSplit(batch.slice(middle));
      }
      this.#options.onFailure(error);
    }
    this.#settle(batch);
  }

  #settle(batch: readonly ScoreResult[]): void {
    // Results are added at the end and sent from the front, so a batch is always at the front.
    const settled = new Set(batch);
    const front = this.#results.findIndex((result) => !settled.has(result));
    this.#results = front === -1 ? [] : this.#results.slice(front);
    // A timer without results would only keep the process alive.
    if (this.#results.length === 0) this.#disarm();
    this.#options.onSettled(batch);
  }
}
