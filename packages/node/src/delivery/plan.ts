import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import { type Effect, type Run, type RunSummary, type State, stoppedBy } from "./forwarder-state.ts";

/** The next page is fetched once so many scores or fewer are left: one page is pushed while another loads. */
const prefetchUpTo = 100;
/** A poll that is under way when a run ends may still lease scores, which could not be given back before its end. */
const pollTimeoutInMs = 2000;
/** Shares of the drain time after which calls of the sink are cut and the run ends, to leave time for the rest. */
const callsShareOfDrain = 0.75;
const runShareOfDrain = 0.9;
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
  if (run === undefined) return plan;
  if (run.phase === "working") {
    finishPass(state, run, plan);
    acknowledge(state, plan);
    dropStale(state, plan);
    push(state, run, plan);
    poll(state, run, plan);
  }
  if (run.phase !== "working") finish(state, run, plan);
  for (const call of state.sinkCalls.takeLate((moment) => plan.isDue(moment)))
    plan.effects.push({ do: "cut", call });
  return plan;
}

/** A single run reads the queue again while that may find more. */
function finishPass(state: State, run: Run, plan: Plan): void {
  const { acks, book, reader } = state;
  if (run.mode !== "drain" || !state.isPassPushed) return;
  if (run.failure !== undefined) return state.endRun("failed", plan.now);
  if (acks.unsent > 0) return;
  const nextPassAt = reader.decided > 0 ? plan.now : book.nextAttemptAt(attemptsPerRun);
  if (nextPassAt === Infinity) state.endRun("complete", plan.now);
  else if (plan.isDue(nextPassAt)) reader.begin();
}

function acknowledge(state: State, plan: Plan): void {
  const { acks } = state;
  if (!plan.isDue(acks.dueAt(state.isPassPushed))) return;
  plan.effects.push({ do: "acknowledge", results: acks.send(plan.now).map(({ result }) => result!) });
}

/** What was listed too long ago is listed anew, as soon as it may be pushed. */
function dropStale({ book, sinkCalls, reader }: State, { now }: Plan): void {
  if (sinkCalls.hasRoom(now) && book.dropStale(now)) reader.begin();
}

/** When the next page may be asked for; `Infinity` until something else happens. */
function pageDueAt({ acks, book, reader, sinkCalls }: State, run: Run, now: number): number {
  if (acks.isFull || reader.request.isOpen || sinkCalls.isPaused(now)) return Infinity;
  if (book.count.listed > prefetchUpTo) return Infinity;
  if (reader.isOn) return now;
  // Scores that wait for another attempt, perhaps one at a time, must not keep new ones back.
  if (run.mode !== "poll" || book.hasUntried) return Infinity;
  // Until acknowledgements get through again, a pass would list what is pushed already.
  return Math.max(reader.dueAt, acks.request.failure?.until ?? 0);
}

/** Asks for a page before the sink is called, which may answer at once: the service works on it meanwhile. */
function poll(state: State, run: Run, plan: Plan): void {
  const { reader } = state;
  if (!plan.isDue(pageDueAt(state, run, plan.now))) return;
  if (!reader.isOn) reader.begin();
  reader.request.sent(plan.now);
  const { pass, cursor, includesFailed: includeFailed } = reader;
  plan.effects.unshift({ do: "poll", pass, cursor, includeFailed });
}

/** Back-pressure: pushing on while nothing can be acknowledged only adds scores that a crash delivers twice. */
function push(state: State, run: Run, plan: Plan): void {
  const { acks, book, settings, sinkCalls, reader } = state;
  if (!plan.isDue(sinkCalls.failure?.until ?? 0)) return;
  // A score that was not tried yet may be on the page that is under way, or is due.
  const isRead = reader.request.isOpen || pageDueAt(state, run, plan.now) <= plan.now;
  if (sinkCalls.isProbing && !book.hasUntried && isRead) return;
  while (!acks.isFull && sinkCalls.hasRoom(plan.now)) {
    const entries = book.take(settings.sink.batchSize ?? 1, sinkCalls.isProbing);
    if (entries.length === 0) return;
    const call = sinkCalls.begin(entries, plan.now);
    plan.effects.push({ do: "push", call, scores: entries.map(({ score }) => score!) });
  }
}

/** Waits for the calls under way, acknowledges their outcomes, gives the lease back and ends, each within its time. */
function finish(state: State, run: Run, plan: Plan): void {
  const { acks, settings, sinkCalls, stoppedAt, reader } = state;
  if (reader.request.isOpen && plan.isDue(run.endingSince + pollTimeoutInMs)) reader.request.abandon();
  if (sinkCalls.open.size > 0 && plan.isDue(stoppedAt + settings.drainTimeoutInMs * callsShareOfDrain))
    cutAllCalls(state, plan);
  const isOutOfTime = plan.isDue(stoppedAt + settings.drainTimeoutInMs * runShareOfDrain);
  if (!isOutOfTime) {
    if (!run.hasGivenUpAcks) acknowledge(state, plan);
    const isAcknowledged = run.hasGivenUpAcks || acks.unsent === 0;
    if (reader.request.isOpen || sinkCalls.open.size > 0 || acks.request.isOpen || !isAcknowledged) return;
    if (run.phase === "finishing" && !reader.foundNone) {
      run.phase = "givingBack";
      plan.effects.push({ do: "giveBack" });
    }
    if (run.phase === "givingBack") return;
  }
  end(state, run, plan);
}

function cutAllCalls({ book, sinkCalls }: State, plan: Plan): void {
  for (const [call, { entries }] of sinkCalls.open) {
    for (const entry of entries) book.release(entry);
    plan.effects.push({ do: "cut", call });
  }
  sinkCalls.open.clear();
}

function end(state: State, run: Run, plan: Plan): void {
  state.run = undefined;
  const summary = summaryOf(state, run);
  const failure = run.failure ?? refusalOf(state, run, summary);
  if (ForwarderStoppedError.isInstance(failure)) state.condition = "failed";
  if (state.condition === "running") state.condition = "idle";
  plan.effects.push({ do: "end", summary, failure });
  plan.wakeAt = Infinity;
}

function summaryOf({ book, counts, reader }: State, { before, ending }: Run): RunSummary {
  return {
    delivered: counts.delivered - before.delivered,
    failed: counts.failed - before.failed,
    retried: counts.retried - before.retried,
    deferred: book.count.deferred,
    unacknowledged: book.count.decided,
    ...(reader.leased.count > 0 && { leased: reader.leased }),
    isComplete: ending === "complete" && reader.isComplete && reader.leased.count === 0,
  };
}

/** A single run has no time to wait for more evidence: if every score was refused, it says so. */
function refusalOf({ sinkCalls }: State, { ending, mode }: Run, { delivered, failed }: RunSummary) {
  if (mode !== "drain" || ending === "halted" || sinkCalls.lastRefusal === undefined) return undefined;
  return delivered + failed > 0 ? undefined : stoppedBy(sinkCalls.lastRefusal);
}
