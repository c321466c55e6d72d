import type { ScoreResult } from "@afterword/protocol";
import { failureReason } from "@afterword/protocol/failure-reason";
import { isRefusedKey } from "../errors/api-error.ts";
import { ForwarderStoppedError } from "../errors/afterword-error.ts";
import type { PendingScoresPage } from "../queue/pending-scores.ts";
import { backoffs, nextFailure, withoutRequestId } from "../scores/failure.ts";
import type { Outcome } from "../scores/sink.ts";
import type { Judged } from "../scores/sink-condition.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { Agenda } from "./agenda.ts";
import { DeliveryRun, type ForwarderParts, stoppedBy } from "./delivery-run.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { Pushed, SinkCall } from "./forwarder-state.ts";
import { QueueReader } from "./queue-reader.ts";
import { ScoreBook, type ScoreEntry } from "./score-book.ts";
import type { ServiceRequest } from "./service-request.ts";
import { OpenCalls } from "./open-calls.ts";

/** A single run gives up on a sink that fails so often in a row, or decides about no score for so long. */
const failuresBeforeGivingUp = 5;
const giveUpAfterInMs = 60_000;
/** A single run waits for so many attempts of a score. */
const attemptsPerRun = 4;
/** The next page is fetched once so many scores or fewer are left: one page is pushed while another loads. */
const prefetchUpTo = 100;

/** Holds the state of a forwarder, applies events to it, and plans what is due. */
export class ForwarderCore implements ForwarderParts {
  readonly reader: QueueReader;
  readonly book = new ScoreBook();
  readonly calls: OpenCalls;
  readonly acks: Acknowledgements;
  readonly #settings: Pick<DeliverySettings, "drainTimeoutInMs" | "random" | "sink">;
  run: DeliveryRun | undefined;
  condition: "idle" | "running" | "stopping" | "stopped" | "failed" = "idle";
  lastProblem: string | null = null;
  /** Of a score that the sink has refused for good. */
  lastRefusedForGood: string | null = null;
  lastDeliveredAt: number | undefined;
  /** When a score was last decided, or began to wait while no other did. */
  advancedAt = 0;
  /** When `stop()` was called. */
  #stoppedAt = Infinity;

  constructor(settings: DeliverySettings) {
    this.#settings = settings;
    this.reader = new QueueReader(settings);
    this.calls = new OpenCalls(settings);
    this.acks = new Acknowledgements(settings);
  }

  begin(mode: "poll" | "drain", now: number): void {
    this.condition = "running";
    this.advancedAt = now;
    // Whatever was refused before may have been mended: a new run tries refused scores at once.
    this.calls.forgetRefusals();
    this.acks.forgetRefusals();
    this.book.forgetRefused();
    this.reader.beginRun();
    this.run = new DeliveryRun(mode === "drain", this);
  }

  stop(now: number): void {
    const hasFailed = this.condition === "failed";
    // Between two runs there may be scores to acknowledge and a lease to give back, which a run does at its end.
    if (this.run === undefined) this.begin("poll", now);
    this.run?.end("halted", now);
    this.condition = hasFailed ? "failed" : "stopping";
    this.#stoppedAt = now;
  }

  /** Ends the run for a reason that no retry can help with. */
  #fail(reason: string, now: number): void {
    if (this.run?.isWorking) this.run.failure ??= stoppedBy(reason);
    this.condition = "failed";
    this.run?.end("failed", now);
  }

  /** Ends everything because of a fault in this program or in what it was given. What open calls say still counts. */
  crash(): void {
    this.condition = "failed";
    this.run = undefined;
    this.calls.abortAll();
  }

  /** The sink is closed, and the forwarder stopped for good. */
  close(problem: string | null = this.lastProblem): void {
    this.lastProblem = problem;
    if (this.condition !== "failed") this.condition = "stopped";
  }

  acceptPage(pass: number, page: PendingScoresPage, now: number): void {
    const { book, reader } = this;
    if (!reader.expects(pass)) return;
    // Scores that are new have not waited yet.
    if (book.size === 0) this.advancedAt = now;
    const taken = page.scores.filter((score) => book.list(score, pass, now)).length;
    if (!reader.includesFailed) book.forgetSettled();
    reader.accept(page, taken, now);
    if (!reader.isReading) book.forgetUnlisted(pass);
  }

  pageFailed(pass: number, error: unknown, now: number): void {
    if (!this.reader.expects(pass)) return;
    this.reader.failed(error, now);
    this.#serviceFailed(this.reader, error, true, now);
  }

  acknowledged(): void {
    for (const id of this.acks.confirmed()) this.book.settle(id);
  }

  ackFailed(error: unknown, now: number): void {
    const refused = this.acks.failed(error, now);
    if (refused?.id !== undefined) this.book.refuseAck(refused.id);
    if (refused !== undefined) this.lastProblem = refused.reason;
    // The run may have ended, and with it the request.
    if (refused !== undefined || this.run === undefined) return;
    this.run.ackFailed();
    this.#serviceFailed(this.acks, error, this.#isPassPushed, now);
  }

  /** A single run has no time to wait for more evidence. It still pushes and acknowledges what it has listed. */
  #serviceFailed(request: ServiceRequest, error: unknown, endsDraining: boolean, now: number): void {
    const { reason } = request.failure!;
    this.lastProblem = reason;
    if (request.isRefused) return this.#fail(reason, now);
    if (this.run?.isSingle && endsDraining)
      this.run.failure ??= isRefusedKey(error) ? stoppedBy(reason) : error;
  }

  /** A call has ended; a score without an outcome is released. */
  finishCall(call: SinkCall, pushed: readonly Pushed[], now: number): void {
    const { calls } = this;
    if (!calls.isOpen(call)) return;
    const judged = pushed.flatMap(({ score, outcome }, index) => {
      const one = this.#judge(call.entries[index]!, outcome, now);
      // A score that could not be prepared says nothing about the sink.
      return score && one ? one : [];
    });
    const hasFailed = calls.ended(call, judged, now);
    if (calls.refusesEverything) this.#fail(calls.lastRefusal!, now);
    if (hasFailed && this.run?.isSingle && this.#mustGiveUp()) this.run?.end("failed", now);
  }

  #mustGiveUp(): boolean {
    const { count, until } = this.calls.failure!;
    if (this.calls.isRejecting || count >= failuresBeforeGivingUp) return true;
    return until - this.advancedAt > giveUpAfterInMs;
  }

  #judge(entry: ScoreEntry, outcome: Outcome | undefined, now: number): Judged | undefined {
    const { book, calls } = this;
    if (outcome === undefined) return void book.release(entry);
    const { id, failure, isRefused = false } = entry;
    const judged = calls.judge(outcome, now, !isRefused);
    if (judged.outcome !== "delivered") this.lastProblem = judged.reason;
    if (judged.outcome === "retry") {
      const { reason, afterInMs: askedInMs } = judged;
      const attempt = { reason, now, random: this.#settings.random, askedInMs };
      book.defer(entry, nextFailure(failure, backoffs.score, attempt), outcome.outcome === "fatal");
      return judged;
    }
    if (judged.outcome === "delivered") this.lastDeliveredAt = now;
    else this.lastRefusedForGood = judged.reason;
    this.advancedAt = now;
    this.reader.countDecided();
    book.decide(entry);
    this.acks.add(resultOf(id, judged), now);
    return judged;
  }

  /** Whether a pass has ended and everything that it listed was pushed. */
  get #isPassPushed(): boolean {
    return !this.reader.isReading && this.calls.isIdle && this.book.count("listed") === 0;
  }

  /** What is due now, and when to ask again. */
  plan(now: number): Agenda {
    const agenda = new Agenda(now);
    const run = this.run;
    if (run === undefined) return agenda;
    if (run.isWorking) this.#work(run, agenda);
    const drain = { since: this.#stoppedAt, timeoutInMs: this.#settings.drainTimeoutInMs };
    if (!run.isWorking && run.finish(agenda, drain)) this.#end(run, agenda);
    else this.calls.cutLate(agenda);
    return agenda;
  }

  #work(run: DeliveryRun, agenda: Agenda): void {
    const { acks, book, calls, reader } = this;
    if (run.isSingle && this.#isPassPushed) this.#finishPass(run, agenda);
    acks.sendDue(agenda, this.#isPassPushed);
    // What was listed too long ago is listed anew, as soon as it may be pushed.
    if (calls.hasRoom(agenda.now) && book.dropStale(agenda.now)) reader.beginPass();
    // A score that was not tried yet may be on the page that is under way, or is due.
    const waitsForPage = calls.isProbing && !book.hasUntried;
    // Asked in any case: at the end of a pause the core must plan again, also while a page is under way.
    const mayPush = agenda.isDue(calls.failure?.until ?? 0);
    if (waitsForPage) this.#poll(run, agenda);
    if (mayPush && !(waitsForPage && reader.isOpen)) this.#push(agenda);
    this.#poll(run, agenda);
  }

  /** A single run reads the queue again while that may find more. */
  #finishPass(run: DeliveryRun, agenda: Agenda): void {
    if (run.failure !== undefined) return run.end("failed", agenda.now);
    if (this.acks.unsent > 0) return;
    const nextPassAt = this.reader.hasDecided ? agenda.now : this.book.nextAttemptAt(attemptsPerRun);
    if (nextPassAt === Infinity) run.end("complete", agenda.now);
    else if (agenda.isDue(nextPassAt)) this.reader.beginPass();
  }

  /** When the next page may be asked for; `Infinity` until something else happens. */
  #pageDueAt({ isSingle }: DeliveryRun, now: number): number {
    const { acks, book, calls, reader } = this;
    if (acks.isFull || reader.isOpen || calls.isPaused(now) || book.count("listed") > prefetchUpTo)
      return Infinity;
    if (reader.isReading) return now;
    // Scores that wait for another attempt, perhaps one at a time, must not keep new ones back.
    if (isSingle || book.hasUntried) return Infinity;
    // Until acknowledgements get through again, a pass would list what is pushed already.
    return Math.max(reader.nextPassAt, acks.failure?.until ?? 0);
  }

  /** Asks for a page before the sink is called, which may answer at once: the service works on it meanwhile. */
  #poll(run: DeliveryRun, agenda: Agenda): void {
    if (!agenda.isDue(this.#pageDueAt(run, agenda.now))) return;
    agenda.effects.unshift({ do: "poll", ...this.reader.ask(agenda.now) });
  }

  /** Back-pressure: pushing on while nothing can be acknowledged only adds scores that a crash delivers twice. */
  #push(agenda: Agenda): void {
    const { acks, book, calls } = this;
    while (!acks.isFull && calls.hasRoom(agenda.now)) {
      const entries = book.take(this.#settings.sink.batchSize ?? 1, calls.isProbing);
      if (entries.length === 0) return;
      const scores = entries.map(({ score }) => score!);
      agenda.effects.push({ do: "push", call: calls.begin(entries, agenda.now), scores });
    }
  }

  #end(run: DeliveryRun, agenda: Agenda): void {
    const result = run.result();
    this.run = undefined;
    if (ForwarderStoppedError.isInstance(result.failure)) this.condition = "failed";
    if (this.condition === "running") this.condition = "idle";
    agenda.effects.push({ do: "end", ...result });
    agenda.wakeAt = Infinity;
  }
}

/** Without request ids, so that the service can count equal reasons. */
const resultOf = (id: string, outcome: Exclude<Judged, { outcome: "retry" }>): ScoreResult =>
  outcome.outcome === "delivered"
    ? { id, state: "delivered" }
    : { id, state: "failed", reason: failureReason(withoutRequestId(outcome.reason)) };
