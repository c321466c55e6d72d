import type { ScoreResult } from "@afterword/protocol";
import { failureReason } from "@afterword/protocol/failure-reason";
import { isRefusedKey } from "../errors/api-error.ts";
import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import type { PendingScoresPage } from "../queue/pending-scores.ts";
import { backoffs, nextFailure, withoutRequestId } from "../scores/failure.ts";
import type { Judged } from "../scores/sink-condition.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { DeliveryCounts, Pushed, Run } from "./forwarder-state.ts";
import { QueueReader } from "./queue-reader.ts";
import { ScoreBook, type ScoreEntry } from "./score-book.ts";
import type { ServiceRequest } from "./service-request.ts";
import { SinkCalls } from "./sink-calls.ts";

/** A single run gives up on a sink that fails so often in a row, or decides about no score for so long. */
const failuresBeforeGivingUp = 5;
const giveUpAfterInMs = 60_000;
/** Everything that a forwarder knows, and how it changes by what happens. */
export class ForwarderCore {
  readonly settings: DeliverySettings;
  readonly book = new ScoreBook();
  readonly sinkCalls: SinkCalls;
  readonly acks: Acknowledgements;
  readonly reader: QueueReader;
  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, retried: 0 };
  run: Run | undefined;
  condition: "idle" | "running" | "stopping" | "stopped" | "failed" = "idle";
  /** When `stop()` was called. */
  stoppedAt = Infinity;
  lastProblem: string | null = null;
  /** Of the sink alone; the second is of a score that it refused for good. */
  lastSinkProblem: string | null = null;
  lastRefusedForGood: string | null = null;
  lastDeliveredAt: number | undefined;
  /** When a score was last decided, or began to wait while no other did. */
  advancedAt = 0;

  constructor(settings: DeliverySettings) {
    this.settings = settings;
    this.sinkCalls = new SinkCalls(settings);
    this.acks = new Acknowledgements(settings);
    this.reader = new QueueReader(settings);
  }

  /** The sink is closed, and the forwarder stopped for good. */
  close(problem: string | null = this.lastProblem): void {
    this.lastProblem = problem;
    if (this.condition !== "failed") this.condition = "stopped";
  }

  /** Ends everything because of a fault in this program or in what it was given. */
  crash(): void {
    this.condition = "failed";
    this.run = undefined;
  }

  begin(mode: Run["mode"], now: number): void {
    this.condition = "running";
    this.advancedAt = now;
    // Whatever was refused before may have been mended.
    for (const one of [this.sinkCalls, this.reader.request, this.acks.request]) one.forgetRefusals();
    // A new run tries refused scores at once, since the key may have been changed.
    this.book.forgetRefused();
    this.reader.request.failure = undefined;
    this.reader.begin();
    this.run = { mode, phase: "working", endingSince: Infinity, before: { ...this.counts } };
  }

  stop(now: number): void {
    const hasFailed = this.condition === "failed";
    // Between two runs there may be scores to acknowledge and a lease to give back, which a run does at its end.
    if (this.run === undefined) this.begin("poll", now);
    this.endRun("halted", now);
    this.condition = hasFailed ? "failed" : "stopping";
    this.stoppedAt = now;
  }

  /** Takes no more scores. Calls under way keep their outcomes; all else stays pending. */
  endRun(ending: NonNullable<Run["ending"]>, now: number): void {
    const { run } = this;
    if (run?.phase !== "working") return;
    run.phase = "finishing";
    run.ending = ending;
    run.endingSince = now;
    this.reader.stop();
    this.acks.request.hurry();
    this.book.releaseListed();
  }

  /** Ends the run for a reason that no retry can help with. */
  #fail(reason: string, now: number): void {
    if (this.run?.phase === "working") this.run.failure ??= stoppedBy(reason);
    this.condition = "failed";
    this.endRun("failed", now);
  }

  acceptPage(pass: number, page: PendingScoresPage, now: number): void {
    const { book, reader } = this;
    if (!reader.expects(pass)) return;
    // Scores that are new have not waited yet.
    if (book.size === 0) this.advancedAt = now;
    const taken = page.scores.filter((score) => book.list(score, pass, now)).length;
    if (!reader.includesFailed) book.forgetSettled();
    reader.accept(page, taken, now);
    if (!reader.isOn) book.forgetUnlisted(pass);
  }

  pageFailed(pass: number, error: unknown, now: number): void {
    if (!this.reader.expects(pass)) return;
    this.reader.failed(error, now);
    this.#serviceFailed(this.reader.request, error, true, now);
  }

  acknowledged(): void {
    for (const entry of this.acks.confirmed()) this.book.settle(entry);
  }

  ackFailed(error: unknown, now: number): void {
    const { acks, run, sinkCalls } = this;
    const refusal = acks.failed(error, now);
    if (refusal !== undefined) this.lastProblem = refusal;
    // The run may have ended, and with it the request.
    if (refusal !== undefined || run === undefined) return;
    if (run.phase !== "working" && sinkCalls.open.size === 0) run.hasGivenUpAcks = true;
    this.#serviceFailed(acks.request, error, this.isPassPushed, now);
  }

  /** A single run has no time to wait for more evidence. It still pushes and acknowledges what it has listed. */
  #serviceFailed(request: ServiceRequest, error: unknown, endsDraining: boolean, now: number): void {
    const { run } = this;
    const { reason } = request.failure!;
    this.lastProblem = reason;
    if (request.isRefused) return this.#fail(reason, now);
    if (run?.mode === "drain" && endsDraining)
      run.failure ??= isRefusedKey(error) ? stoppedBy(reason) : error;
  }

  /** A call has ended; a score without an outcome is released. */
  finishCall(call: number, outcomes: readonly Pushed[], now: number): void {
    const { book, sinkCalls } = this;
    const ended = sinkCalls.open.get(call);
    if (ended === undefined) return;
    sinkCalls.open.delete(call);
    const judged: Judged[] = [];
    for (const { id, score, outcome } of outcomes) {
      const entry = book.get(id)!;
      if (outcome === undefined) {
        book.release(entry);
        continue;
      }
      const one = sinkCalls.judge(outcome, now, entry.isRefused !== true);
      entry.isRefused ||= outcome.outcome === "fatal";
      this.#record(entry, one, now);
      // A score that could not be prepared says nothing about the sink.
      if (score !== undefined) judged.push(one);
    }
    const hasFailed = sinkCalls.ended(ended, judged, now);
    if (sinkCalls.refusesEverything) this.#fail(sinkCalls.lastRefusal!, now);
    if (hasFailed && this.run?.mode === "drain" && this.#mustGiveUp()) this.endRun("failed", now);
  }

  #mustGiveUp(): boolean {
    const { count, until } = this.sinkCalls.failure!;
    if (this.sinkCalls.isRejecting || count >= failuresBeforeGivingUp) return true;
    return until - this.advancedAt > giveUpAfterInMs;
  }

  #record(entry: ScoreEntry, outcome: Judged, now: number): void {
    const { book, counts } = this;
    if (outcome.outcome !== "delivered") this.lastProblem = this.lastSinkProblem = outcome.reason;
    if (outcome.outcome === "retry") {
      // A later pass lists the score again.
      counts.retried += 1;
      const { reason, afterInMs: askedInMs } = outcome;
      const attempt = { reason, now, random: this.settings.random, askedInMs };
      return book.defer(entry, nextFailure(entry.failure, backoffs.score, attempt));
    }
    counts[outcome.outcome === "delivered" ? "delivered" : "failed"] += 1;
    if (outcome.outcome === "delivered") this.lastDeliveredAt = now;
    else this.lastRefusedForGood = outcome.reason;
    this.reader.decided += 1;
    this.advancedAt = now;
    book.decide(entry, resultOf(entry.id, outcome));
    this.acks.add(entry, now);
  }

  /** The service has taken the lease back, or has not answered. */
  gaveBack(): void {
    if (this.run) this.run.phase = "over";
  }

  /** Whether a pass has ended and everything that it listed was pushed. */
  get isPassPushed(): boolean {
    return !this.reader.isOn && this.sinkCalls.open.size === 0 && this.book.count.listed === 0;
  }
}

export const stoppedBy = (reason: string) =>
  new ForwarderStoppedError(`The forwarder has stopped: ${reason}`);

/** Without request ids, so that the service can count equal reasons. */
const resultOf = (id: string, outcome: Exclude<Judged, { outcome: "retry" }>): ScoreResult =>
  outcome.outcome === "delivered"
    ? { id, state: "delivered" }
    : { id, state: "failed", reason: failureReason(withoutRequestId(outcome.reason)) };
