import { backoffInMs, waitInMs, type Backoff } from "../http/backoff.ts";
import { type Batch, batchOf, type Prepared } from "./batch.ts";
import type { Passage } from "./pacer.ts";
import { freshForInMs, PageSource, type Row } from "./page-source.ts";
import type { PassOptions, PassResult } from "./pass-options.ts";
import { Shelf } from "./shelf.ts";
import type { DeliverableScore, Outcome } from "../scores/sink.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { reasonOf } from "./waiting.ts";

type Retry = Extract<Outcome, { outcome: "retry" }>;
/** An outcome as it counts for its row: one refusal is not the end of all. */
type Judged = Exclude<Outcome, { outcome: "fatal" }> & { isRefusal?: true };

const none: Row[] = [];

const rowBackoff: Backoff = { firstInMs: 1000, longestInMs: 300_000 };
/** Attempts within a pass; then the row waits for a later one, so that it holds back nothing. */
const attemptsOnShelf = 4;
const lagEveryInMs = 1000;
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
  #lagToldAt = -Infinity;
  #turning: Promise<void> | undefined;

  constructor(options: PassOptions) {
    this.#options = options;
    const onPage = () => {
      options.onPage();
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
    const { listed, pollingInMs, isComplete } = this.#source;
    return { settled: this.#settled, listed, pollingInMs, isComplete };
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
        const batch = prepared instanceof Promise ? await this.#whenPrepared(prepared, rows) : prepared;
        if (batch.rows.length > 0) this.#noteAll(batch, await this.#deliver(batch.scores), passage);
      } finally {
        pacer.leave();
      }
    }
  }

  /** The next rows to push, if there are any that nothing has to be waited for. */
  #atHand(): Row[] | undefined {
    const { acks, sink, halt, refusals } = this.#options;
    if (acks.isFull || halt.aborted || this.#takenSinceTurn >= rowsPerTurn) return undefined;
    const count = sink.batchSize ?? 1;
    // A row that was refused before cannot tell whether all are.
    let rows = refusals.isProbing ? this.#source.take(count) : this.#takeFromShelf(count);
    if (rows.length === 0) rows = refusals.isProbing ? this.#takeFromShelf(count) : this.#source.take(count);
    this.#takenSinceTurn += rows.length;
    return rows.length > 0 ? rows : undefined;
  }

  /** The next rows to push; none at the end of the walk. */
  async #next(): Promise<Row[]> {
    const { clock, halt, mostIdleInMs } = this.#options;
    while (!halt.aborted) {
      await this.#roomForAcks();
      if (this.#takenSinceTurn >= rowsPerTurn) await this.#turn();
      const rows = this.#atHand();
      if (rows) return rows;
      if (!this.#source.isExhausted) await this.#source.more();
      else {
        const dueAt = this.#shelf.nextDueAt;
        if (dueAt === undefined || dueAt - clock.now() > mostIdleInMs) return [];
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
    for (const { score } of rows.filter((row) => !isFresh(row, now))) this.#options.memory.release(score.id);
    return rows.filter((row) => isFresh(row, now));
  }

  /** What the sink is given for these rows, at once where no text has to be redacted first. */
  #prepare(rows: Row[]): Batch | Promise<Batch> {
    const scores = rows.map((row) => this.#prepareOne(row));
    if (!scores.some((score) => score instanceof Promise)) return batchOf(rows, scores as Prepared[]);
    return Promise.all(scores).then((prepared) => batchOf(rows, prepared));
  }

  /**
   * Rows that are not pushed yet when the run must end are let go: a redactor may take for ever. So are those that it has
   * held for too long.
   */
  async #whenPrepared(prepared: Promise<Batch>, rows: Row[]): Promise<Batch> {
    const { halt, memory } = this.#options;
    const batch = await unlessAborted(prepared, halt);
    const now = this.#now();
    if (batch !== undefined && rows.every((row) => isFresh(row, now))) return batch;
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

  #pace(outcomes: readonly Judged[], passage: Passage): void {
    const { pacer, cut, onSinkFailure } = this.#options;
    if (cut.aborted) return;
    const failures = outcomes.filter(isFailureOfSink);
    const [failure] = failures;
    if (failure === undefined)
      return outcomes.some(({ isRefusal }) => isRefusal) ? undefined : pacer.succeeded();
    const wishes = failures.flatMap(({ afterInMs }) => afterInMs ?? []);
    pacer.failed(passage, reasonOf(failure.reason), wishes.length > 0 ? Math.max(...wishes) : undefined);
    // While the sink is down no page arrives that would tell it.
    this.#tellLag();
    onSinkFailure();
  }

  #tellLag(): void {
    const { health, telemetry } = this.#options;
    // With several sinks all rows are looked at.
    if (this.#now() - this.#lagToldAt < lagEveryInMs) return;
    this.#lagToldAt = this.#now();
    for (const { sink, lagInMs } of health.sinks()) telemetry.lag(sink, lagInMs ?? 0);
  }

  #noteAll({ rows, scores }: Batch, outcomes: readonly Outcome[], passage: Passage): void {
    const { cut, memory, onOutcome, sink, telemetry } = this.#options;
    const judged = outcomes.map((outcome, index) => this.#judged(rows[index]!, outcome));
    this.#pace(judged, passage);
    for (const [index, outcome] of judged.entries()) {
      const row = rows[index]!;
      // What was cut off has no outcome: the row stays pending as it was.
      if (outcome.outcome === "retry" && cut.aborted) memory.release(row.score.id);
      else {
        telemetry.outcome(sink.name, outcomes[index]!.outcome);
        this.#note(row, outcome);
        onOutcome(scores[index]!, outcomes[index]!);
      }
    }
  }

  /** A refusal keeps its own row back, and the sink as a whole only when others were refused before it. */
  #judged({ score }: Row, outcome: Outcome): Judged {
    const { memory, refusals, onFatal } = this.#options;
    if (outcome.outcome === "delivered" || outcome.outcome === "permanent") refusals.accepted();
    if (outcome.outcome !== "fatal") return outcome;
    const refusal = { outcome: "retry", reason: outcome.reason, isRefusal: true } as const;
    if (memory.wasRefused(score.id)) return refusal;
    if (refusals.refused(outcome.reason, this.#now())) onFatal(outcome.reason);
    return refusals.isProbing ? { ...refusal, scope: "sink" } : refusal;
  }

  #note(row: Row, outcome: Judged): void {
    const { acks, health } = this.#options;
    if (outcome.outcome === "retry") return this.#retryLater(row, outcome);
    this.#settled += 1;
    if (outcome.outcome === "delivered") health.delivered();
    else health.failed(outcome.reason);
    acks.add({ id: row.score.id, state: outcome.outcome === "delivered" ? "delivered" : "failed" });
  }

  /** Tries a row again in this pass if it is soon, else leaves it to a later one (decision D95). */
  #retryLater(row: Row, { reason, afterInMs, isRefusal = false }: Retry & { isRefusal?: boolean }): void {
    const { clock, random, memory, health } = this.#options;
    const { id } = row.score;
    health.retried(reason);
    const ownInMs = backoffInMs(rowBackoff, memory.attemptsOf(id) + 1, random);
    const now = clock.now();
    const dueAt = now + waitInMs(ownInMs, afterInMs);
    const attempts = memory.failed(id, { reason: reasonOf(reason), isRefusal, notBefore: dueAt }, now);
    const isSoon = attempts < attemptsOnShelf && dueAt - row.fetchedAt <= freshForInMs;
    if (isSoon && !this.#shelf.isFull) this.#shelf.put(row, dueAt);
    else memory.release(id);
  }
}

const isFresh = ({ fetchedAt }: Row, now: number) => now - fetchedAt <= freshForInMs;

const isFailureOfSink = (outcome: Outcome): outcome is Retry =>
  outcome.outcome === "retry" && outcome.scope === "sink";
