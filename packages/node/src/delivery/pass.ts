import { backoffInMs, waitInMs, type Backoff } from "./backoff.ts";
import { type Batch, batchOf, type Prepared } from "./batch.ts";
import type { Passage } from "./pacer.ts";
import { freshForInMs, PageSource, type Row } from "./page-source.ts";
import type { PassOptions, PassResult } from "./pass-options.ts";
import { Shelf } from "./shelf.ts";
import type { DeliverableScore, Outcome } from "./sink.ts";
import { unlessAborted } from "./unless-aborted.ts";

type Retry = Extract<Outcome, { outcome: "retry" }>;

const none: Row[] = [];

const rowBackoff: Backoff = { firstInMs: 1000, longestInMs: 300_000 };
/** Attempts within a pass; then the row waits for a later one, so that it holds back nothing. */
const attemptsOnShelf = 4;
/** Behind so many rows the event loop gets its turn: a sink that answers without I/O would keep it from everything. */
const rowsPerTurn = 500;

/** One walk over the queue: several workers take rows, push them and note what became of each. */
export class Pass {
  readonly #options: PassOptions;
  readonly #source: PageSource;
  readonly #shelf = new Shelf();
  readonly #now = () => this.#options.clock.now();
  #settled = 0;
  #takenSinceTurn = 0;
  #turning: Promise<void> | undefined;

  constructor(options: PassOptions) {
    this.#options = options;
    const onPage = () => {
      options.health.polled();
      this.#tellLag();
    };
    this.#source = new PageSource({ ...options, onPage });
  }

  /** Rejects when the queue cannot be read. */
  async run(): Promise<PassResult> {
    const workers = Array.from({ length: this.#options.concurrency }, () => this.#work());
    const ends = await Promise.allSettled(workers);
    this.#options.calls.rest();
    for (const { score } of this.#shelf.clear()) this.#options.memory.release(score.id);
    const failure = ends.find((end) => end.status === "rejected");
    if (failure && !this.#options.halt.aborted) throw failure.reason;
    if (this.#source.isExhausted) this.#options.memory.endWalk();
    return { settled: this.#settled, isComplete: this.#source.isComplete };
  }

  /** A sink that answers at once is pushed as fast as rows come, so what need not be waited for is not awaited. */
  async #work(): Promise<void> {
    const { pacer, halt } = this.#options;
    while (!halt.aborted) {
      const passage = pacer.tryEnter() ?? (await pacer.enter(halt));
      if (passage === undefined) return;
      try {
        const rows = this.#atHand() ?? (await this.#next());
        if (rows.length === 0) return;
        const prepared = this.#prepare(rows);
        const batch = prepared instanceof Promise ? await this.#unlessHalted(prepared, rows) : prepared;
        if (batch.rows.length > 0) this.#noteAll(batch, await this.#deliver(batch.scores), passage);
      } finally {
        pacer.leave();
      }
    }
  }

  /** The next rows to push, if there are any that nothing has to be waited for. */
  #atHand(): Row[] | undefined {
    const { acks, sink, halt } = this.#options;
    if (acks.isFull || halt.aborted || this.#takenSinceTurn >= rowsPerTurn) return undefined;
    const count = sink.batchSize ?? 1;
    let rows = this.#takeFromShelf(count);
    if (rows.length === 0) rows = this.#source.take(count);
    this.#takenSinceTurn += rows.length;
    return rows.length > 0 ? rows : undefined;
  }

  /** The next rows to push; none at the end of the walk. */
  async #next(): Promise<Row[]> {
    const { clock, halt } = this.#options;
    while (!halt.aborted) {
      await this.#roomForAcks();
      if (this.#takenSinceTurn >= rowsPerTurn) await this.#turn();
      const rows = this.#atHand();
      if (rows) return rows;
      if (!this.#source.isExhausted) await this.#source.more();
      else {
        const dueAt = this.#shelf.nextDueAt;
        if (dueAt === undefined) return [];
        await clock.sleep(dueAt - clock.now(), halt);
      }
    }
    return [];
  }

  #turn(): Promise<void> {
    this.#turning ??= this.#takeTurn().finally(() => (this.#turning = undefined));
    return this.#turning;
  }

  async #takeTurn(): Promise<void> {
    await this.#options.clock.turn?.();
    this.#takenSinceTurn = 0;
  }

  /** Pushing on while nothing can be acknowledged would only make more rows that a crash delivers twice. */
  async #roomForAcks(): Promise<void> {
    const { acks, clock, halt } = this.#options;
    while (acks.isFull && !halt.aborted) {
      await acks.flush().catch(() => clock.sleep(acks.pauseInMs, halt));
    }
  }

  #takeFromShelf(count: number): Row[] {
    if (this.#shelf.isEmpty) return none;
    const now = this.#options.clock.now();
    const rows = this.#shelf.takeDue(count, now);
    const isFresh = ({ fetchedAt }: Row) => now - fetchedAt <= freshForInMs;
    for (const { score } of rows.filter((row) => !isFresh(row))) this.#options.memory.release(score.id);
    return rows.filter(isFresh);
  }

  /** What the sink is given for these rows, at once where no text has to be redacted first. */
  #prepare(rows: Row[]): Batch | Promise<Batch> {
    const scores = rows.map((row) => this.#prepareOne(row));
    if (!scores.some((score) => score instanceof Promise)) return batchOf(rows, scores as Prepared[]);
    return Promise.all(scores).then((prepared) => batchOf(rows, prepared));
  }

  /** Rows that are not pushed yet when the run must end are let go: a redactor may take for ever. */
  async #unlessHalted(prepared: Promise<Batch>, rows: Row[]): Promise<Batch> {
    const { halt, memory } = this.#options;
    const batch = await unlessAborted(prepared, halt);
    if (batch !== undefined) return batch;
    for (const { score } of rows) memory.release(score.id);
    return { rows: [], scores: [] };
  }

  /** A text policy that throws keeps its row back, and none of the others. */
  #prepareOne(row: Row): Prepared | Promise<Prepared> {
    try {
      const score = this.#options.prepare(row.score);
      return score instanceof Promise ? score.catch((error: unknown) => this.#keepBack(row, error)) : score;
    } catch (error) {
      return this.#keepBack(row, error);
    }
  }

  #keepBack(row: Row, error: unknown): undefined {
    if (this.#options.halt.aborted) return void this.#options.memory.release(row.score.id);
    const reason = error instanceof Error ? error.message : "the score could not be prepared";
    this.#retryLater(row, { outcome: "retry", reason });
  }

  #deliver(scores: DeliverableScore[]): Promise<Outcome[]> {
    const { sink, calls, telemetry } = this.#options;
    return telemetry.deliver(sink.name, scores, () => calls.deliver(scores), this.#now);
  }

  #pace(outcomes: readonly Outcome[], passage: Passage): void {
    const { pacer, cut, onSinkFailure } = this.#options;
    if (cut.aborted) return;
    const failures = outcomes.filter(isFailureOfSink);
    if (failures.length === 0) return pacer.succeeded();
    const wishes = failures.flatMap(({ afterInMs }) => afterInMs ?? []);
    pacer.failed(passage, wishes.length > 0 ? Math.max(...wishes) : undefined);
    // While the sink is down no page arrives that would tell it.
    this.#tellLag();
    onSinkFailure();
  }

  #tellLag(): void {
    const { health, telemetry, sink } = this.#options;
    telemetry.lag(sink.name, health.lagInMs ?? 0);
  }

  #noteAll({ rows, scores }: Batch, outcomes: readonly Outcome[], passage: Passage): void {
    this.#pace(outcomes, passage);
    for (let index = 0; index < rows.length; index += 1) {
      this.#note(rows[index]!, scores[index]!, outcomes[index]!);
    }
  }

  #note(row: Row, score: DeliverableScore, outcome: Outcome): void {
    const { acks, health, memory, telemetry, sink, onFatal, onOutcome, cut } = this.#options;
    const { id } = row.score;
    // What was cut off has no outcome: the row stays pending as it was.
    if (outcome.outcome === "retry" && cut.aborted) return memory.release(id);
    telemetry.outcome(sink.name, outcome.outcome);
    if (outcome.outcome === "retry") this.#retryLater(row, outcome);
    else if (outcome.outcome === "fatal") {
      memory.release(id);
      onFatal(outcome.reason);
    } else {
      this.#settled += 1;
      if (outcome.outcome === "delivered") health.delivered();
      else health.failed(outcome.reason);
      acks.add({ id, state: outcome.outcome === "delivered" ? "delivered" : "failed" });
    }
    onOutcome(score, outcome);
  }

  /** Tries a row again in this pass if it is soon, else leaves it to a later one (decision D95). */
  #retryLater(row: Row, { reason, afterInMs }: Retry): void {
    const { clock, random, memory, health } = this.#options;
    const { id } = row.score;
    health.retried(reason);
    const ownInMs = backoffInMs(rowBackoff, memory.attemptsOf(id) + 1, random);
    const dueAt = clock.now() + waitInMs(ownInMs, afterInMs);
    const attempts = memory.failed(id, dueAt);
    const isSoon = attempts < attemptsOnShelf && dueAt - row.fetchedAt <= freshForInMs;
    if (isSoon && !this.#shelf.isFull) this.#shelf.put(row, dueAt);
    else memory.release(id);
  }
}

const isFailureOfSink = (outcome: Outcome): outcome is Retry =>
  outcome.outcome === "retry" && outcome.scope === "sink";
