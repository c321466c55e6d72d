import { failureReason } from "@afterword/protocol/failure-reason";
import { backoffInMs, waitInMs, type Backoff } from "../http/backoff.ts";
import type { DeliverableScore, Outcome } from "../scores/sink.ts";
import type { Permit } from "./concurrency-limiter.ts";
import type { Delivery } from "./delivery.ts";
import { freshForInMs, type Row } from "./page-source.ts";
import type { PassControl } from "./pass.ts";
import type { RetryQueue } from "./retry-queue.ts";
import { reasonOf } from "./waiting.ts";

/** Rows and, in the same order, what the sink receives for them. */
export interface Batch {
  rows: Row[];
  scores: DeliverableScore[];
}

type Retry = Extract<Outcome, { outcome: "retry" }>;
/** An outcome as it counts for its row: a single refusal ends nothing. */
type Judged = Exclude<Outcome, { outcome: "fatal" }> & { isRefusal?: true };

const rowBackoff: Backoff = { firstInMs: 1000, longestInMs: 300_000 };
/** After this many attempts in a pass a row waits for a later pass, so that it holds nothing up. */
const attemptsPerPass = 4;
const lagEveryInMs = 1000;

/** Turns the outcomes of one pass into acknowledgements, retries, pauses of the sink and counts. */
export class RowOutcomes {
  readonly #delivery: Delivery;
  readonly #retries: RetryQueue;
  readonly #control: PassControl;
  #lagReportedAt = -Infinity;
  /** Rows that were delivered or refused for good; settled only once the service has confirmed that. */
  decided = 0;

  constructor(delivery: Delivery, retries: RetryQueue, control: PassControl) {
    this.#delivery = delivery;
    this.#retries = retries;
    this.#control = control;
  }

  record({ rows, scores }: Batch, outcomes: readonly Outcome[], permit: Permit): void {
    const { calls, memory, onOutcome, sink, telemetry } = this.#delivery;
    const judged = outcomes.map((outcome, index) => this.#judge(rows[index]!, outcome));
    this.#pace(judged, permit);
    for (const [index, outcome] of judged.entries()) {
      const row = rows[index]!;
      // A call that was cut has no outcome: its rows stay pending as they were.
      if (outcome.outcome === "retry" && calls.isCut) memory.release(row.score.id);
      else {
        telemetry.outcome(sink.name, outcomes[index]!.outcome);
        this.#acknowledgeOrRetry(row, outcome);
        onOutcome(scores[index]!, outcomes[index]!);
      }
    }
  }

  /** Retries a row in this pass if it is due soon, and leaves it to a later pass otherwise (decision D95). */
  retryLater(row: Row, { reason, afterInMs, isRefusal = false }: Retry & { isRefusal?: boolean }): void {
    const { clock, random, memory, health } = this.#delivery;
    const { id } = row.score;
    health.retried(reason);
    const ownInMs = backoffInMs(rowBackoff, memory.attemptsOf(id) + 1, random);
    const now = clock.now();
    const dueAt = now + waitInMs(ownInMs, afterInMs);
    const attempts = memory.defer(id, { reason: reasonOf(reason), isRefusal, notBefore: dueAt }, now);
    const isSoon = attempts < attemptsPerPass && dueAt - row.fetchedAt <= freshForInMs;
    if (isSoon && !this.#retries.isFull) this.#retries.put(row, dueAt);
    else memory.release(id);
  }

  /** Reports the lag of each sink, at most once a second: with several sinks that looks at all rows. */
  reportLag(): void {
    const { clock, health, telemetry } = this.#delivery;
    if (clock.now() - this.#lagReportedAt < lagEveryInMs) return;
    this.#lagReportedAt = clock.now();
    for (const { sink, lagInMs } of health.sinks()) telemetry.lag(sink, lagInMs ?? 0);
  }

  /** A refusal keeps back its own row, and pauses the sink only when other rows were refused before it. */
  #judge({ score }: Row, outcome: Outcome): Judged {
    const { clock, memory, refusals } = this.#delivery;
    if (outcome.outcome === "delivered" || outcome.outcome === "permanent") refusals.accepted();
    if (outcome.outcome !== "fatal") return outcome;
    const refusal = { outcome: "retry", reason: outcome.reason, isRefusal: true } as const;
    if (memory.wasRefused(score.id)) return refusal;
    if (refusals.refused(outcome.reason, clock.now())) this.#control.onFatal(outcome.reason);
    return refusals.isProbing ? { ...refusal, scope: "sink" } : refusal;
  }

  #pace(outcomes: readonly Judged[], permit: Permit): void {
    const { limiter, calls } = this.#delivery;
    if (calls.isCut) return;
    const failures = outcomes.filter(isFailureOfSink);
    const [failure] = failures;
    if (failure === undefined) {
      if (!outcomes.some(({ isRefusal }) => isRefusal)) limiter.succeeded();
      return;
    }
    const wishes = failures.flatMap(({ afterInMs }) => afterInMs ?? []);
    limiter.failed(permit, reasonOf(failure.reason), wishes.length > 0 ? Math.max(...wishes) : undefined);
    // While the sink is down, no page arrives that would report the lag.
    this.reportLag();
    this.#control.onSinkFailure();
  }

  #acknowledgeOrRetry(row: Row, outcome: Judged): void {
    const { acks, health } = this.#delivery;
    if (outcome.outcome === "retry") return this.retryLater(row, outcome);
    this.decided += 1;
    const { id } = row.score;
    if (outcome.outcome === "delivered") {
      health.delivered();
      return acks.add({ id, state: "delivered" });
    }
    health.failed(outcome.reason);
    // Without request ids, so that the service can count equal reasons.
    acks.add({ id, state: "failed", reason: failureReason(reasonOf(outcome.reason)) });
  }
}

const isFailureOfSink = (outcome: Outcome): outcome is Retry =>
  outcome.outcome === "retry" && outcome.scope === "sink";
