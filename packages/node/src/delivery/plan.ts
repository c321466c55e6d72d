import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import {
  type Effect,
  endRun,
  isPassOver,
  type Run,
  type RunSummary,
  type State,
  stoppedBy,
} from "./forwarder-state.ts";
import { freshForInMs } from "./score-book.ts";

/** A poll that is under way when a run ends may still lease scores, which could not be given back before its end. */
const pollPatienceInMs = 2000;
/** Shares of the drain time after which calls and then requests are cut, to leave time for the rest. */
const callsShareOfDrain = 0.75;
const requestsShareOfDrain = 0.9;
/** A single run waits for so many attempts of a score. */
const attemptsPerRun = 4;

/** What is to be done now, and when there may be something to do without another event. */
export class Plan {
  readonly now: number;
  readonly effects: Effect[] = [];
  wakeAt = Infinity;

  constructor(now: number) {
    this.now = now;
  }

  add(effect: Effect): void {
    this.effects.push(effect);
  }

  /** Whether the moment has come; otherwise the core is woken then. */
  isDue(moment: number): boolean {
    if (moment <= this.now) return true;
    this.wakeAt = Math.min(this.wakeAt, moment);
    return false;
  }
}

export function makePlan(state: State, now: number): Plan {
  const plan = new Plan(now);
  const { run } = state;
  if (run?.phase === "working") {
    finishPass(state, run, plan);
    acknowledge(state, plan);
    dropStale(state, plan);
    poll(state, run, plan);
    push(state, plan);
    // With what is now pushed out of the way, another page or walk may be due, or has to be waited for.
    poll(state, run, plan);
  }
  if (run && run.phase !== "working") finish(state, run, plan);
  return plan;
}

/** A single run walks again while that may find more. */
function finishPass(state: State, run: Run, plan: Plan): void {
  const { acks, walk } = state;
  if (run.mode !== "drain" || !isPassOver(state)) return;
  if (run.failure !== undefined) return endRun(state, "failed", plan.now);
  if (acks.unsent > 0) return;
  const walkAgainAt = walk.decided > 0 ? plan.now : nextAttemptAt(state);
  if (walkAgainAt === undefined) endRun(state, "complete", plan.now);
  else if (plan.isDue(walkAgainAt)) walk.begin();
}

/** When the next score is due that failed lately. */
function nextAttemptAt({ book }: State): number | undefined {
  let soonest: number | undefined;
  for (const { listedAt, state, trouble } of book.all) {
    if (state !== "deferred" || !trouble || trouble.failures >= attemptsPerRun) continue;
    if (trouble.until - listedAt <= freshForInMs) soonest = Math.min(soonest ?? Infinity, trouble.until);
  }
  return soonest;
}

function acknowledge(state: State, plan: Plan): void {
  const { acks } = state;
  if (plan.isDue(acks.dueAt(isPassOver(state))))
    plan.add({ do: "acknowledge", results: acks.send(plan.now) });
}

/** What was listed too long ago is listed anew, as soon as it may be pushed. */
function dropStale({ book, sink, walk }: State, { now }: Plan): void {
  if (sink.hasRoom(now) && book.dropStale(now)) walk.begin();
}

function poll({ acks, book, sink, walk }: State, run: Run, plan: Plan): void {
  if (acks.isFull || walk.isLoading || sink.isPaused(plan.now)) return;
  // Scores that wait for another attempt, perhaps one at a time, must not keep new ones back.
  const mayBegin = run.mode === "poll" && !walk.isOn && !book.hasUntried;
  const dueAt = Math.max(walk.dueAt, acks.request.trouble?.until ?? 0);
  if (mayBegin && plan.isDue(dueAt)) walk.begin();
  if (!walk.isPageDue) return;
  walk.request.openSince = plan.now;
  const { number, isFirstPage: isFirst, includesFailed: includeFailed } = walk;
  plan.add({ do: "poll", walk: number, isFirst, includeFailed });
}

/** Back-pressure: pushing on while nothing can be acknowledged only adds scores that a crash delivers twice. */
function push({ acks, book, calls, settings, sink, walk }: State, plan: Plan): void {
  if (!plan.isDue(sink.trouble?.until ?? 0)) return;
  // A score that was not tried yet may be on the page that is under way.
  if (sink.isProbing && !book.hasUntried && walk.isLoading) return;
  const count = sink.isRejecting ? 1 : (settings.sink.batchSize ?? 1);
  while (!acks.isFull && sink.hasRoom(plan.now)) {
    const entries = book.take(count, sink.isProbing);
    if (entries.length === 0) return;
    const call = sink.callBegan();
    calls.set(call, { since: plan.now, entries });
    const freshUntil = Math.min(...entries.map(({ listedAt }) => listedAt)) + freshForInMs;
    plan.add({ do: "push", call, scores: entries.map(({ score }) => score!), freshUntil });
  }
}

/** Waits for the calls under way, acknowledges their outcomes, gives the lease back and ends, each within its time. */
function finish(state: State, run: Run, plan: Plan): void {
  const { acks, calls, isLeased, walk } = state;
  cutWhatTakesTooLong(state, run, plan);
  const hasTime = !plan.isDue(drainShareAt(state, requestsShareOfDrain));
  if (!hasTime) plan.add({ do: "abort", what: "requests" });
  if (hasTime) {
    if (!run.hasGivenUpAcks) acknowledgeLast(state, plan);
    const isAcknowledged = acks.unsent === 0 || run.hasGivenUpAcks;
    const isLeasing = walk.isLoading && isLeased !== false;
    if (isLeasing || calls.size > 0 || acks.request.openSince !== undefined || !isAcknowledged) return;
    if (run.phase === "finishing" && isLeased && !walk.foundNone) {
      run.phase = "givingBack";
      plan.add({ do: "giveBack" });
    }
    if (run.phase === "givingBack") return;
  }
  state.run = undefined;
  const summary = summaryOf(state, run);
  const failure = run.failure ?? refusalOf(state, run, summary);
  if (ForwarderStoppedError.isInstance(failure)) state.condition = "failed";
  if (state.condition === "running") state.condition = "idle";
  plan.add({ do: "end", summary, failure });
  plan.wakeAt = Infinity;
}

function cutWhatTakesTooLong(state: State, run: Run, plan: Plan): void {
  const { book, calls, walk } = state;
  plan.add({ do: "abort", what: "preparing" });
  if (walk.isLoading && plan.isDue(run.endingSince! + pollPatienceInMs)) {
    walk.request.openSince = undefined;
    plan.add({ do: "abort", what: "polling" });
  }
  if (calls.size === 0 || !plan.isDue(drainShareAt(state, callsShareOfDrain))) return;
  for (const entry of [...calls.values()].flatMap(({ entries }) => entries)) book.release(entry);
  calls.clear();
  plan.add({ do: "abort", what: "calls" });
}

const drainShareAt = ({ settings, stoppedAt = Infinity }: State, share: number) =>
  stoppedAt + settings.drainTimeoutInMs * share;

/** When no call is left, one last attempt follows without a wait. */
function acknowledgeLast(state: State, plan: Plan): void {
  const { acks, calls } = state;
  const dueAt = acks.dueAt(calls.size === 0);
  const isLast = calls.size === 0 && dueAt < Infinity;
  if (isLast || plan.isDue(dueAt)) plan.add({ do: "acknowledge", results: acks.send(plan.now) });
}

function summaryOf({ book, counts, walk }: State, { before, ending, firstWalk }: Run): RunSummary {
  const deferred = [...book.all].filter((entry) => entry.trouble && entry.walk >= firstWalk);
  return {
    delivered: counts.delivered - before.delivered,
    failed: counts.failed - before.failed,
    retried: counts.retried - before.retried,
    deferred: deferred.length,
    unacknowledged: book.unacknowledged,
    isComplete: ending === "complete" && walk.isComplete,
  };
}

/** A single run has no time to wait for more evidence: if every score was refused, it says so. */
function refusalOf({ sink }: State, { ending, mode }: Run, { delivered, failed }: RunSummary) {
  if (mode !== "drain" || ending === "halted" || sink.lastRefusal === undefined) return undefined;
  return delivered + failed > 0 ? undefined : stoppedBy(sink.lastRefusal);
}
