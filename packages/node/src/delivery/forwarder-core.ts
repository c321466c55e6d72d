import { failureReason } from "@afterword/protocol/failure-reason";
import type { ScoreResult } from "@afterword/protocol";
import { ApiError, isRefusedKey } from "../errors/api-error.ts";
import { type Event, type State, stoppedBy } from "./forwarder-state.ts";
import { makePlan, type Plan } from "./plan.ts";
import type { Judged } from "../scores/sink-condition.ts";
import type { ScoreEntry } from "./score-book.ts";
import { backoffs, nextFailure, withoutRequestId } from "../scores/failure.ts";
import type { ServiceRequest } from "./service-request.ts";

/** A single run gives up on a sink that fails so often in a row, or decides about no score for so long. */
const failuresBeforeGivingUp = 5;
const giveUpAfterInMs = 60_000;
/** Statuses that refuse the results of an acknowledgement themselves, so that a retry cannot help. */
const refusingStatuses = new Set([400, 413, 422]);

/** Changes the state by an event and returns what is to be done next. */
export function step(state: State, event: Event, now: number): Plan {
  apply(state, event, now);
  return makePlan(state, now);
}

function apply(state: State, event: Event, now: number): void {
  const { reader } = state;
  switch (event.type) {
    case "begin":
      return begin(state, event.mode, now);
    case "halt":
      return state.endRun("halted", now);
    case "stop":
      return stop(state, now);
    case "page":
    case "pageFailed":
      if (event.pass !== reader.pass) return;
      if (!reader.isOn) return reader.request.abandon();
      return event.type === "page" ? acceptPage(state, event, now) : pageFailed(state, event.error, now);
    case "pushed":
      return finishCall(state, event, now);
    case "acknowledged":
      for (const entry of state.acks.confirmed()) state.book.settle(entry);
      return;
    case "ackFailed":
      return ackFailed(state, event.error, now);
    case "gaveBack":
      if (state.run) state.run.phase = "over";
      return;
    case "tick":
  }
}

function begin(state: State, mode: "poll" | "drain", now: number): void {
  const { acks, book, counts, sinkCalls, reader } = state;
  state.condition = "running";
  state.advancedAt = now;
  // Whatever was refused before may have been mended.
  for (const one of [sinkCalls, reader.request, acks.request]) one.forgetRefusals();
  // A new run tries refused scores at once, since the key may have been changed.
  book.forgetRefused();
  reader.request.failure = undefined;
  reader.begin();
  state.run = { mode, phase: "working", endingSince: Infinity, before: { ...counts } };
}

/** Ends the run for a reason that no retry can help with. */
function fail(state: State, reason: string, now: number): void {
  if (state.run?.phase === "working") state.run.failure ??= stoppedBy(reason);
  state.condition = "failed";
  state.endRun("failed", now);
}

function stop(state: State, now: number): void {
  const hasFailed = state.condition === "failed";
  // Between two runs there may be scores to acknowledge and a lease to give back, which a run does at its end.
  if (state.run === undefined) begin(state, "poll", now);
  state.endRun("halted", now);
  state.condition = hasFailed ? "failed" : "stopping";
  state.stoppedAt = now;
}

function acceptPage(state: State, page: Extract<Event, { type: "page" }>, now: number): void {
  const { book, reader } = state;
  // Scores that are new have not waited yet.
  if (book.size === 0) state.advancedAt = now;
  const taken = page.scores.filter((score) => book.list(score, reader.pass, now)).length;
  if (!reader.includesFailed) book.forgetSettled();
  reader.accept(page, page.scores, taken, now);
  if (!reader.isOn) book.forgetUnlisted(reader.pass);
}

function pageFailed(state: State, error: unknown, now: number): void {
  const { run, reader } = state;
  reader.failed(error, now);
  serviceFailed(state, reader.request, { error, endsRun: run?.mode === "drain" }, now);
}

function ackFailed(state: State, error: unknown, now: number): void {
  const { acks, run, sinkCalls } = state;
  if (ApiError.isInstance(error) && refusingStatuses.has(error.status)) {
    acks.refused(error, now);
    state.lastProblem = withoutRequestId(error.message);
    return;
  }
  acks.failed(error, now);
  // The run has ended, and with it the request.
  if (run === undefined) return;
  if (run.phase !== "working" && sinkCalls.open.size === 0) run.hasGivenUpAcks = true;
  const endsRun = run.mode === "drain" && state.isPassPushed;
  serviceFailed(state, acks.request, { error, endsRun }, now);
}

/** A single run has no time to wait for more evidence. It still pushes and acknowledges what it has listed. */
function serviceFailed(
  state: State,
  request: ServiceRequest,
  { error, endsRun }: { error: unknown; endsRun: boolean },
  now: number,
): void {
  const { reason } = request.failure!;
  state.lastProblem = reason;
  if (request.isRefused) return fail(state, reason, now);
  if (endsRun && state.run) state.run.failure ??= isRefusedKey(error) ? stoppedBy(reason) : error;
}

function finishCall(state: State, { call, outcomes }: Extract<Event, { type: "pushed" }>, now: number): void {
  const { book, run, sinkCalls } = state;
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
    record(state, entry, one, now);
    // A score that could not be prepared says nothing about the sink.
    if (score !== undefined) judged.push(one);
  }
  const hasFailed = sinkCalls.ended(ended, judged, now);
  if (sinkCalls.refusesEverything) fail(state, sinkCalls.lastRefusal!, now);
  if (hasFailed && run?.mode === "drain" && mustGiveUp(state)) state.endRun("failed", now);
}

function mustGiveUp({ advancedAt, sinkCalls }: State): boolean {
  const { count, until } = sinkCalls.failure!;
  return sinkCalls.isRejecting || count >= failuresBeforeGivingUp || until - advancedAt > giveUpAfterInMs;
}

function record(state: State, entry: ScoreEntry, outcome: Judged, now: number): void {
  const { acks, book, counts, settings, reader } = state;
  if (outcome.outcome === "retry") {
    // A later pass lists the score again.
    const { reason, afterInMs: askedInMs } = outcome;
    counts.retried += 1;
    state.lastProblem = state.lastSinkProblem = reason;
    const attempt = { reason, now, random: settings.random, askedInMs };
    return book.defer(entry, nextFailure(entry.failure, backoffs.score, attempt));
  }
  reader.decided += 1;
  state.advancedAt = now;
  book.decide(entry, resultOf(entry.id, outcome));
  acks.add(entry, now);
  if (outcome.outcome === "delivered") {
    counts.delivered += 1;
    state.lastDeliveredAt = now;
  } else {
    counts.failed += 1;
    state.lastProblem = state.lastSinkProblem = state.lastRefusedForGood = outcome.reason;
  }
}

/** Without request ids, so that the service can count equal reasons. */
const resultOf = (id: string, outcome: Exclude<Judged, { outcome: "retry" }>): ScoreResult =>
  outcome.outcome === "delivered"
    ? { id, state: "delivered" }
    : { id, state: "failed", reason: failureReason(withoutRequestId(outcome.reason)) };
