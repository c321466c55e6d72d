import { failureReason } from "@afterword/protocol/failure-reason";
import { ApiError, isRefusedKey } from "../errors/api-error.ts";
import type { ScoreResult } from "@afterword/protocol";
import { endRun, type Event, isPassOver, type State, stoppedBy } from "./forwarder-state.ts";
import { makePlan, type Plan } from "./plan.ts";
import type { ScoreEntry } from "./score-book.ts";
import type { Judged } from "./sink-condition.ts";
import { backoffs, withoutRequestId, worse } from "./trouble.ts";

/** A single run gives up on a sink that fails so often in a row, or decides about no score for so long. */
const failuresBeforeGivingUp = 5;
const patienceInMs = 60_000;
/** Statuses that refuse the results of an acknowledgement themselves, so that a retry cannot help. */
const refusingStatuses = new Set([400, 413, 422]);

/** Changes the state by an event and returns what is to be done next. */
export function step(state: State, event: Event, now: number): Plan {
  apply(state, event, now);
  return makePlan(state, now);
}

function apply(state: State, event: Event, now: number): void {
  switch (event.type) {
    case "begin":
      return begin(state, event.mode, now);
    case "halt":
      return endRun(state, "halted", now);
    case "stop":
      return stop(state, now);
    case "page":
    case "pageFailed":
      if (event.walk !== state.walk.number) return;
      if (event.type === "page") state.isLeased = event.isLeased;
      if (!state.walk.isOn) return void (state.walk.request.openSince = undefined);
      return event.type === "page" ? acceptPage(state, event, now) : pageFailed(state, event.error, now);
    case "pushed":
      return finishCall(state, event, now);
    case "acknowledged":
      return acknowledged(state, event.updated);
    case "ackFailed":
      return ackFailed(state, event.error, now);
    case "gaveBack":
      if (state.run) state.run.phase = "over";
      return;
    case "tick":
  }
}

function begin(state: State, mode: "poll" | "drain", now: number): void {
  const { book, counts, sink, walk } = state;
  state.condition = "running";
  state.advancedAt = now;
  sink.forgetRefusals();
  // A new run tries refused scores at once, since the key may have been changed.
  for (const entry of book.all) if (entry.isRefused && entry.state === "deferred") book.forget(entry);
  walk.request.trouble = undefined;
  walk.begin();
  const firstWalk = walk.number;
  state.run = { mode, phase: "working", firstWalk, before: { ...counts }, decidedAt: now };
}

/** Ends the run for a reason that no retry can help with. */
function fail(state: State, reason: string, now: number): void {
  if (state.run?.phase === "working") state.run.failure ??= stoppedBy(reason);
  state.condition = "failed";
  state.lastProblem = reason;
  endRun(state, "failed", now);
}

function stop(state: State, now: number): void {
  const hasFailed = state.condition === "failed";
  if (state.run === undefined) begin(state, "poll", now);
  endRun(state, "halted", now);
  state.condition = hasFailed ? "failed" : "stopping";
  state.stoppedAt = now;
}

function acceptPage(state: State, page: Extract<Event, { type: "page" }>, now: number): void {
  const { acks, book, walk } = state;
  state.lastPolledAt = now;
  // Scores that are new have not waited yet.
  if (book.size === 0) state.advancedAt = now;
  for (const { id } of page.scores) {
    const entry = book.get(id);
    const isDoubtful = entry?.state === "doubtful" && entry.acknowledgedIn! < walk.number;
    if (isDoubtful && !walk.includesFailed) acknowledgeAgain(state, entry, now);
  }
  walk.accept(page, now);
  if (acks.request.trouble) state.lastProblem = acks.request.trouble.reason;
}

/** The acknowledgement has changed nothing: the service still lists the score. */
function acknowledgeAgain({ acks, book }: State, entry: ScoreEntry, now: number): void {
  const reason = "POST /v1/sdk/pending-scores/ack confirmed scores that are still listed";
  if (acks.request.trouble?.reason !== reason) acks.request.worsen(reason, now);
  book.decide(entry, entry.result!);
  acks.add(entry.result!, now);
}

function pageFailed(state: State, error: unknown, now: number): void {
  const { run, walk } = state;
  const reason = withoutRequestId(messageOf(error));
  walk.failed(reason, now);
  state.lastProblem = reason;
  if (isRefusedKey(error) && walk.request.refused(now)) return fail(state, reason, now);
  // A single run has no time to wait for more evidence. It still pushes and acknowledges what it has listed.
  if (run?.mode === "drain") run.failure ??= isRefusedKey(error) ? stoppedBy(reason) : error;
}

function acknowledged({ acks, book, walk }: State, updated: unknown): void {
  const results = acks.confirmed();
  const isWhole = typeof updated !== "number" || updated >= results.length;
  for (const { id } of results) {
    const entry = book.get(id);
    // An acknowledgement changes nothing of a score that was failed before, and is again.
    if (isWhole || walk.includesFailed || !entry) book.settle(id);
    else book.doubt(entry, walk.number);
  }
}

function ackFailed(state: State, error: unknown, now: number): void {
  const { acks, book, calls, run, stoppedAt } = state;
  const reason = withoutRequestId(messageOf(error));
  if (ApiError.isInstance(error) && refusingStatuses.has(error.status)) {
    state.lastProblem = reason;
    const refused = acks.refused(reason, now);
    if (refused) book.settle(refused.id);
    return;
  }
  acks.failed(reason, now);
  if (run && run.phase !== "working" && calls.size === 0) run.hasGivenUpAcks = true;
  // The forwarder's own request, aborted when it stops.
  if (stoppedAt !== undefined && !ApiError.isInstance(error)) return;
  state.lastProblem = reason;
  if (isRefusedKey(error) && acks.request.refused(now)) return fail(state, reason, now);
  if (run?.mode === "drain" && isPassOver(state))
    run.failure ??= isRefusedKey(error) ? stoppedBy(reason) : error;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function finishCall(state: State, { call, outcomes }: Extract<Event, { type: "pushed" }>, now: number): void {
  const { book, calls, run, sink } = state;
  if (!calls.delete(call)) return;
  sink.callEnded();
  const judged: Judged[] = [];
  let isRefusal = false;
  for (const { id, outcome, unprepared } of outcomes) {
    const entry = book.get(id);
    if (entry?.state !== "pushing") continue;
    if (unprepared !== undefined) {
      // This says nothing about the sink. A forwarder that can prepare no score is stalled all the same.
      entry.acceptedBefore ??= sink.accepted;
      record(state, entry, { outcome: "retry", reason: unprepared }, now);
      continue;
    }
    if (outcome === undefined) {
      book.release(entry);
      continue;
    }
    isRefusal ||= outcome.outcome === "fatal";
    const one = sink.judge(entry, outcome, now);
    judged.push(one);
    record(state, entry, one, now);
  }
  const failures = judged.filter((one) => one.outcome === "retry").filter(({ scope }) => scope === "sink");
  if (failures.length > 0) sink.failed(call, failures, now);
  else if (judged.length > 0 && !isRefusal) sink.succeeded(now);
  if (sink.refusesEverything(now)) fail(state, sink.lastRefusal!, now);
  if (failures.length > 0 && run?.mode === "drain" && mustGiveUp(state, run.decidedAt, now))
    endRun(state, "failed", now);
}

function mustGiveUp({ sink }: State, decidedAt: number, now: number): boolean {
  const { failures = 0, until = now } = sink.trouble ?? {};
  const isHopeless = sink.isRejecting || failures >= failuresBeforeGivingUp;
  return isHopeless || until - now > patienceInMs || now - decidedAt > patienceInMs;
}

function record(state: State, entry: ScoreEntry, outcome: Judged, now: number): void {
  const { acks, book, counts, run, settings, walk } = state;
  if (outcome.outcome === "retry") {
    // A later walk lists the score again.
    const { reason, afterInMs: wishInMs } = outcome;
    counts.retried += 1;
    state.lastProblem = state.lastSinkProblem = reason;
    const failure = { reason, now, random: settings.random, wishInMs };
    return book.defer(entry, worse(entry.trouble, backoffs.score, failure));
  }
  walk.decided += 1;
  state.advancedAt = now;
  if (run) run.decidedAt = now;
  book.decide(entry, resultOf(entry.id, outcome));
  acks.add(entry.result!, now);
  if (outcome.outcome === "delivered") {
    counts.delivered += 1;
    state.lastDeliveredAt = now;
  } else {
    counts.failed += 1;
    state.lastProblem = state.lastSinkProblem = state.lastRefusal = outcome.reason;
  }
}

/** Without request ids, so that the service can count equal reasons. */
const resultOf = (id: string, outcome: Exclude<Judged, { outcome: "retry" }>): ScoreResult =>
  outcome.outcome === "delivered"
    ? { id, state: "delivered" }
    : { id, state: "failed", reason: failureReason(withoutRequestId(outcome.reason)) };
