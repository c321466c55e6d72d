import type { DeliverableScore } from "../scores/sink.ts";
import type { Permit } from "./concurrency-limiter.ts";
import type { Delivery } from "./delivery.ts";
import { isFresh, PageSource, type Row } from "./page-source.ts";
import { RetryQueue } from "./retry-queue.ts";
import { type Batch, RowOutcomes } from "./row-outcomes.ts";

/** How a run controls one of its passes. */
export interface PassControl {
  /** Aborted when no more rows may be taken. */
  halted: AbortSignal;
  /** The longest that the pass waits for a row to be due, in milliseconds; later rows are left to a later pass. */
  mostIdleInMs: number;
  onSinkFailure: () => void;
  onFatal: (reason: string) => void;
}

export interface PassResult {
  /** Rows that the sink has accepted or refused for good. */
  decided: number;
  /** Rows that the walk has listed, and the milliseconds that listing them has taken. */
  listed: number;
  pollingInMs: number;
  /** Whether the walk has reached the end of the queue. */
  isComplete: boolean;
}

/** What the sink receives for a row; `undefined` for a row that is kept back. */
type Prepared = DeliverableScore | undefined;

/** After this many rows the event loop gets its turn, since a sink that answers without I/O would starve it. */
const rowsPerTurn = 500;

/** One walk over the queue: several workers take rows, push them and record the outcome of each. */
export class Pass {
  readonly #delivery: Delivery;
  readonly #control: PassControl;
  readonly #source: PageSource;
  readonly #retries = new RetryQueue();
  readonly #outcomes: RowOutcomes;
  readonly #now = () => this.#delivery.clock.now();
  #takenSinceTurn = 0;
  #turning: Promise<void> | undefined;

  constructor(delivery: Delivery, control: PassControl) {
    this.#delivery = delivery;
    this.#control = control;
    this.#outcomes = new RowOutcomes(delivery, this.#retries, control);
    this.#source = new PageSource(delivery, control.halted, () => {
      delivery.health.polled();
      delivery.service.succeeded("polling");
      this.#outcomes.reportLag();
    });
  }

  /** Rejects when the queue cannot be read. */
  async run(): Promise<PassResult> {
    const { calls, concurrency, memory } = this.#delivery;
    const workers = Array.from({ length: concurrency }, () => this.#work());
    const ends = await Promise.allSettled(workers);
    calls.rest();
    this.#release(this.#retries.clear());
    const failure = ends.find((end) => end.status === "rejected");
    if (failure && !this.#control.halted.aborted) throw failure.reason;
    const { isComplete, isExhausted, listed, pollingInMs } = this.#source;
    if (isExhausted) memory.endWalk();
    if (isComplete) memory.keepsSettled = false;
    return { decided: this.#outcomes.decided, listed, pollingInMs, isComplete };
  }

  /** Awaits only what it must: a sink that answers at once is pushed to as fast as rows arrive. */
  async #work(): Promise<void> {
    const { limiter } = this.#delivery;
    const { halted } = this.#control;
    while (!halted.aborted) {
      const permit = limiter.tryAcquire() ?? (await limiter.acquire(halted));
      if (permit === undefined) return;
      try {
        const rows = this.#atHand() ?? (await this.#next());
        if (rows.length === 0) return;
        const prepared = this.#prepare(rows);
        await this.#push(
          prepared instanceof Promise ? await this.#whenPrepared(prepared, rows) : prepared,
          permit,
        );
      } finally {
        limiter.release();
      }
    }
  }

  /** The next rows to push, if some are available without waiting. */
  #atHand(): Row[] | undefined {
    const { acks, sink, refusals } = this.#delivery;
    if (acks.isFull || this.#control.halted.aborted || this.#takenSinceTurn >= rowsPerTurn) return undefined;
    const count = sink.batchSize ?? 1;
    // A row that was refused before cannot show whether all rows are refused.
    let rows = refusals.isProbing ? this.#source.take(count) : this.#takeRetries(count);
    if (rows.length === 0) rows = refusals.isProbing ? this.#takeRetries(count) : this.#source.take(count);
    this.#takenSinceTurn += rows.length;
    return rows.length > 0 ? rows : undefined;
  }

  /** The next rows to push; none at the end of the walk. */
  async #next(): Promise<Row[]> {
    const { clock } = this.#delivery;
    const { halted, mostIdleInMs } = this.#control;
    while (!halted.aborted) {
      await this.#roomForAcks();
      if (this.#takenSinceTurn >= rowsPerTurn) await this.#turn();
      const rows = this.#atHand();
      if (rows) return rows;
      if (!this.#source.isExhausted) await this.#source.more();
      else {
        const dueAt = this.#retries.nextDueAt;
        if (dueAt === undefined || dueAt - clock.now() > mostIdleInMs) return [];
        await clock.sleep(dueAt - clock.now(), halted);
      }
    }
    return [];
  }

  #turn(): Promise<void> {
    this.#turning ??= this.#takeTurn().finally(() => (this.#turning = undefined));
    return this.#turning;
  }

  async #takeTurn(): Promise<void> {
    await this.#delivery.clock.turn?.();
    this.#takenSinceTurn = 0;
  }

  /** Back-pressure: pushing on while nothing can be acknowledged only adds rows that a crash delivers twice. */
  async #roomForAcks(): Promise<void> {
    const { acks, clock } = this.#delivery;
    const { halted } = this.#control;
    while (acks.isFull && !halted.aborted) {
      await acks.flush().catch(() => clock.sleep(acks.pauseInMs, halted));
    }
  }

  #takeRetries(count: number): Row[] {
    const now = this.#now();
    const rows = this.#retries.takeDue(count, now);
    if (rows.every((row) => isFresh(row, now))) return rows;
    this.#release(rows.filter((row) => !isFresh(row, now)));
    return rows.filter((row) => isFresh(row, now));
  }

  #release(rows: readonly Row[]): void {
    for (const { score } of rows) this.#delivery.memory.release(score.id);
  }

  /** What the sink receives for these rows; synchronous unless a text has to be redacted first. */
  #prepare(rows: Row[]): Batch | Promise<Batch> {
    const scores = rows.map((row) => this.#prepareOne(row));
    if (!scores.some((score) => score instanceof Promise)) return batchOf(rows, scores as Prepared[]);
    return Promise.all(scores).then((prepared) => batchOf(rows, prepared));
  }

  /** A redactor may never return, so a halt releases its rows. So does a redactor that held them for too long. */
  async #whenPrepared(prepared: Promise<Batch>, rows: Row[]): Promise<Batch> {
    const batch = await unlessAborted(prepared, this.#control.halted);
    const now = this.#now();
    if (batch !== undefined && rows.every((row) => isFresh(row, now))) return batch;
    this.#release(rows);
    return { rows: [], scores: [] };
  }

  /** A text policy that throws keeps its row back, and no other. */
  #prepareOne(row: Row): Prepared | Promise<Prepared> {
    try {
      const score = this.#delivery.prepare(row.score);
      return score instanceof Promise ? score.catch((error: unknown) => this.#keepBack(row, error)) : score;
    } catch (error) {
      return this.#keepBack(row, error);
    }
  }

  #keepBack(row: Row, error: unknown): undefined {
    if (this.#control.halted.aborted) return void this.#release([row]);
    const reason = error instanceof Error ? error.message : "the score could not be prepared";
    this.#outcomes.retryLater(row, { outcome: "retry", reason });
  }

  async #push(batch: Batch, permit: Permit): Promise<void> {
    const { sink, calls, telemetry } = this.#delivery;
    const { scores } = batch;
    if (scores.length === 0) return;
    const call = () => calls.deliver(scores);
    this.#outcomes.record(batch, await telemetry.deliver(sink.name, scores, call, this.#now), permit);
  }
}

/** Leaves out the rows that are kept back. */
function batchOf(rows: Row[], prepared: Prepared[]): Batch {
  if (prepared.every((score) => score !== undefined)) return { rows, scores: prepared };
  return {
    rows: rows.filter((_, index) => prepared[index] !== undefined),
    scores: prepared.filter((score) => score !== undefined),
  };
}

/** Resolves as the promise does, or to `undefined` as soon as the signal is aborted. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
