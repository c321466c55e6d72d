import { failureReason } from "@afterword/protocol/failure-reason";
import { ApiError } from "../errors/api-error.ts";
import {
  type Effect,
  type Event,
  isPassOver,
  slowAfterInMs,
  type State,
  stoppedBy,
} from "./forwarder-state.ts";
import { plan } from "./plan.ts";
import type { ScoreEntry } from "./score-book.ts";
import type { Judged } from "./sink-condition.ts";
import { backoffs, isEverything, oneMore, reasonOf, worse } from "./trouble.ts";

/** Shares of the drain time after which calls and then requests are cut, to leave time for the rest. */
const callsShareOfDrain = 0.75;
const requestsShareOfDrain = 0.9;
/** A single run gives up on a sink that fails so often in a row, or decides about no score for so long. */
const failuresBeforeGivingUp = 5;
const patienceInMs = 60_000;

/** Changes the state by an event and returns what is to be done now. */
export function step(state: State, event: Event, now: number): Effect[] {
  apply(state, event, now);
  return state.run === undefined ? [] : plan(state, state.run, now);
}

function apply(state: State, event: Event, now: number): void {
  const { acks, walk, run } = state;
  switch (event.type) {
    case "begin":
      return begin(state, event.mode, now);
    case "halt":
      return end(state, "halted");
    case "stop":
      return stop(state, now);
    case "page":
      if (event.walk !== walk.number) return;
      state.isLeased = event.isLeased;
      if (walk.isOn) acceptPage(state, event, now);
      else walk.loading = undefined;
      return;
    case "pageFailed":
      if (event.walk !== walk.number) return;
      if (!walk.isOn) return void (walk.loading = undefined);
      walk.failed(reasonOf(event.error), now);
      return serviceFailed(state, "walk", event, now);
    case "unprepared":
      return defer(state, state.book.get(event.id)!, { outcome: "retry", reason: event.reason }, now);
    case "pushed":
      return finishCall(state, event, now);
    case "acknowledged":
      // An acknowledgement changes nothing of a score that was failed before, and is again.
      return acks.confirmed(event.updated, walk.includesFailed ? undefined : walk.number);
    case "ackFailed":
      if (acks.sending === undefined) return;
      acks.failed(reasonOf(event.error), event.isRefused, now);
      if (event.isRefused) state.lastProblem = reasonOf(event.error);
      else serviceFailed(state, "acks", event, now);
      return;
    case "gaveBack":
      if (run) run.givesBack = "done";
      return;
    case "tick":
      return lookForSlow(state, now);
  }
}

function begin(state: State, mode: "poll" | "drain", now: number): void {
  const { book, counts, sink, walk } = state;
  state.condition = "running";
  state.advancedAt = now;
  state.steppedAt = now;
  sink.begin();
  // A new run tries refused scores at once, since the key may have been changed.
  for (const { id, state: is, isRefused } of book.all) if (isRefused && is === "deferred") book.forget(id);
  walk.trouble = undefined;
  walk.begin();
  const firstWalk = walk.number;
  state.run = { mode, hasFlushed: false, firstWalk, before: { ...counts }, decidedAt: now };
}

/** Takes no more scores. Calls under way keep their outcomes; all else stays pending. */
function end(state: State, why: NonNullable<State["run"]>["ending"], failure?: unknown): void {
  const { book, run, walk } = state;
  if (run === undefined || run.ending !== undefined) return;
  run.ending = why;
  run.failure ??= failure;
  walk.isOn = false;
  for (const entry of book.all) {
    if (entry.state === "listed" || entry.state === "deferred") book.release(entry);
  }
}

/** Ends the run for a reason that no retry can help with. */
function fail(state: State, reason: string): void {
  state.condition = "failed";
  state.lastProblem = reason;
  end(state, "failed", stoppedBy(reason));
}

function stop(state: State, now: number): void {
  const { drainTimeoutInMs } = state.settings;
  const hasFailed = state.condition === "failed";
  if (state.run === undefined) begin(state, "poll", now);
  end(state, "halted");
  state.condition = hasFailed ? "failed" : "stopping";
  state.isStopped = true;
  state.run!.cutCallsAt = now + drainTimeoutInMs * callsShareOfDrain;
  state.run!.cutRequestsAt = now + drainTimeoutInMs * requestsShareOfDrain;
}

function acceptPage(state: State, page: Extract<Event, { type: "page" }>, now: number): void {
  state.lastPolledAt = now;
  state.steppedAt = now;
  state.unreadSince = undefined;
  // Scores that are new have not waited yet.
  if (state.book.size === 0) state.advancedAt = now;
  state.walk.accept(page, now);
  if (state.acks.trouble) state.lastProblem = state.acks.trouble.reason;
}

/** Records why a call of the service failed, and ends the run when it refuses the key. */
function serviceFailed(
  state: State,
  part: "walk" | "acks",
  { error, isRefusedKey }: { error: unknown; isRefusedKey: boolean },
  now: number,
): void {
  const { run } = state;
  if (run?.ending && part === "acks") run.hasFlushed = true;
  // Its own requests, cut when it stops.
  if (state.isStopped && !ApiError.isInstance(error)) return;
  const reason = reasonOf(error);
  noteProblem(state, part, reason, now);
  if (isRefusedKey) state[part].refusals = oneMore(state[part].refusals, reason, now);
  if (isRefusedKey && isEverything(state[part].refusals, now)) return fail(state, reason);
  // A single run has no time to wait for more evidence. It still pushes and acknowledges what it has listed.
  const isFinal = run?.mode === "drain" && (part === "walk" || isPassOver(state));
  if (isFinal) run.failure ??= isRefusedKey ? stoppedBy(reason) : error;
}

function noteProblem(state: State, part: "walk" | "acks", reason: string, now: number): void {
  state.steppedAt = now;
  state.lastProblem = reason;
  if (part === "walk") state.unreadSince ??= state.lastPolledAt ?? now;
}

function lookForSlow(state: State, now: number): void {
  const { acks, walk } = state;
  const isSlow = (request: { since: number; isSlow: boolean } | undefined) =>
    request !== undefined && !request.isSlow && now - request.since >= slowAfterInMs(state);
  for (const part of ["walk", "acks"] as const) {
    if (!isSlow(part === "walk" ? walk.loading : acks.sending)) continue;
    const route = part === "walk" ? "GET /v1/sdk/pending-scores" : "POST /v1/sdk/pending-scores/ack";
    const reason = `${route} has not been answered yet`;
    state[part].slow(reason, now);
    noteProblem(state, part, reason, now);
  }
}

function finishCall(state: State, { call, outcomes }: Extract<Event, { type: "pushed" }>, now: number): void {
  const { book, calls, run, sink } = state;
  if (!calls.delete(call)) return;
  sink.ended();
  const judged: [ScoreEntry, Judged][] = [];
  for (const { id, outcome } of outcomes) {
    const entry = book.get(id);
    if (entry?.state !== "pushing") continue;
    if (outcome === undefined) book.release(entry);
    else judged.push([entry, sink.judge(entry, outcome, now)]);
  }
  const hasRefusal = outcomes.some(({ outcome }) => outcome?.outcome === "fatal");
  const hasFailed = sink.paceAfter(
    call,
    judged.map(([, one]) => one),
    hasRefusal,
    now,
  );
  for (const [entry, one] of judged) record(state, entry, one, now);
  if (sink.refusesEverything(now)) fail(state, sink.lastRefusal!);
  if (hasFailed && run?.mode === "drain" && mustGiveUp(state, run.decidedAt, now)) end(state, "gave up");
}

function mustGiveUp({ sink }: State, decidedAt: number, now: number): boolean {
  const { failures = 0, until = now } = sink.trouble ?? {};
  const isHopeless = sink.isRejecting || failures >= failuresBeforeGivingUp;
  return isHopeless || until - now > patienceInMs || now - decidedAt > patienceInMs;
}

function record(state: State, entry: ScoreEntry, outcome: Judged, now: number): void {
  const { acks, book, counts, run, walk } = state;
  if (outcome.outcome === "retry") return defer(state, entry, outcome, now);
  const { id } = entry;
  walk.decided += 1;
  state.advancedAt = now;
  state.steppedAt = now;
  if (run) run.decidedAt = now;
  if (outcome.outcome === "delivered") {
    counts.delivered += 1;
    state.lastDeliveredAt = now;
    book.decide(entry, { id, state: "delivered" });
  } else {
    const { reason } = outcome;
    counts.failed += 1;
    state.lastProblem = state.lastSinkProblem = state.lastRefusal = reason;
    // Without request ids, so that the service can count equal reasons.
    book.decide(entry, { id, state: "failed", reason: failureReason(reasonOf(reason)) });
  }
  acks.add(entry.result!, now);
}

/** Leaves a score to a later walk (decision D95). */
function defer(
  state: State,
  entry: ScoreEntry,
  { reason, afterInMs }: Extract<Judged, { outcome: "retry" }>,
  now: number,
): void {
  const { book, counts, settings } = state;
  counts.retried += 1;
  state.steppedAt = now;
  state.lastProblem = state.lastSinkProblem = reason;
  const failure = { reason: reasonOf(reason), now, random: settings.random, wishInMs: afterInMs };
  book.defer(entry, worse(entry.trouble, backoffs.score, failure));
}
