import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import {
  type Effect,
  isPassOver,
  type Run,
  type RunSummary,
  slowAfterInMs,
  stoppedBy,
  type State,
} from "./forwarder-state.ts";
import { freshForInMs } from "./score-book.ts";

/** A poll that is under way when a run ends may still lease scores, which could not be given back before its end. */
const pollPatienceInMs = 2000;

/** A single run waits for so many attempts of a score. */
const attemptsPerRun = 4;

/** What is to be done in this state now. */
export function plan(state: State, run: Run, now: number): Effect[] {
  const effects: Effect[] = [];
  if (run.ending === undefined) {
    finishPass(state, run, now);
    acknowledge(state, run, now, effects);
    dropStale(state, now);
    poll(state, run, now, effects);
    push(state, now, effects);
  }
  if (run.ending !== undefined) finish(state, run, now, effects);
  return effects;
}

/** When there may be something to do without another event; `Infinity` if never. */
export function nextWakeAt(state: State, now: number): number {
  const { acks, run, sink, walk } = state;
  if (run === undefined) return Infinity;
  const requests = [walk.loading, acks.sending].filter((one) => one && !one.isSlow);
  const isIdle = run.ending === undefined && run.mode === "poll" && !walk.isOn && !walk.loading;
  const moments = [
    acks.dueAt(false),
    ...requests.map((one) => one!.since + slowAfterInMs(state)),
    isIdle ? walk.dueAt : undefined,
    sink.trouble?.until,
    walkAgainAt(state, run),
    walk.loading && run.cutPollAt,
    run.cutCallsAt,
    run.cutRequestsAt,
  ];
  return Math.min(...moments.filter((one) => one !== undefined && one > now).map(Number), Infinity);
}

/** A single run walks again while that may find more. */
function finishPass(state: State, run: Run, now: number): void {
  const { acks, walk } = state;
  if (run.mode !== "drain" || !isPassOver(state)) return;
  if (run.failure !== undefined) run.ending = "failed";
  if (acks.unsent > 0) return;
  const at = walkAgainAt(state, run);
  if (at === undefined) run.ending ??= "complete";
  else if (at <= now) walk.begin();
}

/** When a single run may find more: at once behind a walk that did, otherwise when a score is due that failed lately. */
function walkAgainAt(state: State, run: Run): number | undefined {
  const { book, walk } = state;
  if (run.mode !== "drain" || run.ending || run.failure !== undefined || !isPassOver(state)) return undefined;
  if (walk.decided > 0) return 0;
  let soonest: number | undefined;
  for (const { listedAt, state: is, trouble } of book.all) {
    if (is !== "deferred" || !trouble || trouble.failures >= attemptsPerRun) continue;
    if (trouble.until - listedAt <= freshForInMs) soonest = Math.min(soonest ?? Infinity, trouble.until);
  }
  return soonest;
}

/** What was listed too long ago is listed anew, as soon as it may be pushed. */
function dropStale({ book, sink, walk }: State, now: number): void {
  if (sink.hasRoom(now) && book.dropStale(now)) walk.begin();
}

function acknowledge(state: State, run: Run, now: number, effects: Effect[]): void {
  const { acks, calls } = state;
  const isIdle = isPassOver(state);
  // The last attempt of a run waits for nothing.
  const isLast = run.ending !== undefined && calls.size === 0;
  const dueAt = acks.dueAt(isIdle || isLast);
  if (dueAt === undefined || (dueAt > now && !isLast)) return;
  effects.push({ do: "acknowledge", results: acks.next(now) });
}

function poll(state: State, run: Run, now: number, effects: Effect[]): void {
  const { acks, book, sink, walk } = state;
  if (acks.isFull || walk.loading || sink.isPaused(now)) return;
  const isDue = run.mode === "poll" && walk.dueAt <= now;
  // Scores that wait for another attempt, perhaps one at a time, must not keep new ones back.
  if (!walk.isOn && isDue && !book.hasUntried) walk.begin();
  if (!walk.isPageDue) return;
  const isFirst = walk.load(now);
  effects.push({ do: "poll", walk: walk.number, isFirst, includeFailed: walk.includesFailed });
}

/** Back-pressure: pushing on while nothing can be acknowledged only adds scores that a crash delivers twice. */
function push(state: State, now: number, effects: Effect[]): void {
  const { acks, book, calls, settings, sink, walk } = state;
  // A score that was not tried yet may be on the page that is under way.
  if (sink.isProbing && !book.hasUntried && walk.isOn) return;
  const count = sink.isRejecting ? 1 : (settings.sink.batchSize ?? 1);
  while (!acks.isFull && sink.hasRoom(now)) {
    const entries = book.take(count, sink.isProbing);
    if (entries.length === 0) return;
    const call = sink.began();
    calls.set(call, entries);
    const freshUntil = Math.min(...entries.map(({ listedAt }) => listedAt)) + freshForInMs;
    effects.push({ do: "push", call, scores: entries.map(({ score }) => score!), freshUntil });
  }
}

/** Waits for the calls under way, acknowledges their outcomes, gives the lease back and ends, each within its time. */
function finish(state: State, run: Run, now: number, effects: Effect[]): void {
  const { acks, book, calls, walk } = state;
  if (!run.isHalted) effects.push({ do: "halt" });
  run.isHalted = true;
  run.cutPollAt ??= now + pollPatienceInMs;
  if (walk.loading && run.cutPollAt <= now) {
    walk.loading = undefined;
    effects.push({ do: "cutPoll" });
  }
  if (run.cutCallsAt !== undefined && run.cutCallsAt <= now && calls.size > 0) {
    for (const entry of [...calls.values()].flat()) book.release(entry);
    calls.clear();
    effects.push({ do: "cutCalls" });
  }
  const isCut = run.cutRequestsAt !== undefined && run.cutRequestsAt <= now;
  if (isCut) effects.push({ do: "cutRequests" });
  else {
    if (!run.hasFlushed) acknowledge(state, run, now, effects);
    if (walk.loading && state.isLeased !== false) return;
    if (calls.size > 0 || acks.sending || (acks.unsent > 0 && !run.hasFlushed)) return;
    if (state.isLeased && !walk.foundNone && run.givesBack === undefined) {
      run.givesBack = "asked";
      effects.push({ do: "giveBack" });
    }
    if (run.givesBack === "asked") return;
  }
  state.run = undefined;
  const summary = summaryOf(state, run);
  const failure = run.failure ?? refusalOf(state, run, summary);
  if (ForwarderStoppedError.isInstance(failure)) state.condition = "failed";
  if (state.condition === "running") state.condition = "idle";
  effects.push({ do: "end", summary, failure });
}

function summaryOf({ acks, book, counts, walk }: State, { before, ending, firstWalk }: Run): RunSummary {
  const deferred = [...book.all].filter((entry) => entry.trouble && entry.walk >= firstWalk);
  return {
    delivered: counts.delivered - before.delivered,
    failed: counts.failed - before.failed,
    retried: counts.retried - before.retried,
    deferred: deferred.length,
    unacknowledged: acks.size,
    isComplete: ending === "complete" && walk.isComplete,
  };
}

/** A single run has no time to wait for more evidence: if every score was refused, it says so. */
function refusalOf({ sink }: State, { ending, mode }: Run, { delivered, failed }: RunSummary) {
  if (mode !== "drain" || ending === "halted" || sink.lastRefusal === undefined) return undefined;
  if (delivered + failed > 0) return undefined;
  return stoppedBy(sink.lastRefusal);
}
