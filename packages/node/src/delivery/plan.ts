import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import { type ForwarderCore, stoppedBy } from "./forwarder-core.ts";
import type { Effect, Run, RunSummary } from "./forwarder-state.ts";

/** A single run waits for so many attempts of a score. */
const attemptsPerRun = 4;
/** The next page is fetched once so many scores or fewer are left: one page is pushed while another loads. */
const prefetchUpTo = 100;
/** A poll that is under way when a run ends may still lease scores, which could not be given back before its end. */
const pollTimeoutInMs = 2000;
/** Shares of the drain time after which calls of the sink are cut and the run ends, to leave time for the rest. */
const callsShareOfDrain = 0.75;
const runShareOfDrain = 0.9;

/** Plans what is to be done now. */
export function planFor(core: ForwarderCore, now: number): Pick<Plan, "effects" | "wakeAt"> {
  return core.run === undefined ? { effects: [], wakeAt: Infinity } : new Plan(core, core.run, now);
}

/** What is to be done now, and when there may be something to do without another event. */
class Plan {
  readonly effects: Effect[] = [];
  wakeAt = Infinity;
  readonly #core: ForwarderCore;
  readonly #run: Run;
  readonly #now: number;

  constructor(core: ForwarderCore, run: Run, now: number) {
    this.#core = core;
    this.#run = run;
    this.#now = now;
    if (run.phase === "working") this.#work();
    if (run.phase !== "working") this.#finish();
    const late = core.sinkCalls.takeLate((moment) => this.#isDue(moment));
    this.effects.push(...late.map((call) => ({ do: "cut" as const, call })));
  }

  /** Whether the moment has come; otherwise the core is woken then. */
  #isDue(moment: number): boolean {
    if (moment <= this.#now) return true;
    this.wakeAt = Math.min(this.wakeAt, moment);
    return false;
  }

  #work(): void {
    this.#finishPass();
    this.#acknowledge();
    // What was listed too long ago is listed anew, as soon as it may be pushed.
    const { book, reader, sinkCalls } = this.#core;
    if (sinkCalls.hasRoom(this.#now) && book.dropStale(this.#now)) reader.begin();
    this.#push();
    this.#poll();
  }

  /** A single run reads the queue again while that may find more. */
  #finishPass(): void {
    const core = this.#core;
    if (this.#run.mode !== "drain" || !core.isPassPushed) return;
    if (this.#run.failure !== undefined) return core.endRun("failed", this.#now);
    if (core.acks.unsent > 0) return;
    const nextPassAt = core.reader.decided > 0 ? this.#now : core.book.nextAttemptAt(attemptsPerRun);
    if (nextPassAt === Infinity) core.endRun("complete", this.#now);
    else if (this.#isDue(nextPassAt)) core.reader.begin();
  }

  #acknowledge(): void {
    if (!this.#isDue(this.#core.acks.dueAt(this.#core.isPassPushed))) return;
    this.effects.push({ do: "acknowledge", results: this.#core.acks.send(this.#now) });
  }

  /** When the next page may be asked for; `Infinity` until something else happens. */
  #pageDueAt(): number {
    const { acks, book, reader, sinkCalls } = this.#core;
    if (acks.isFull || reader.request.isOpen || sinkCalls.isPaused(this.#now)) return Infinity;
    if (book.count.listed > prefetchUpTo) return Infinity;
    if (reader.isOn) return this.#now;
    // Scores that wait for another attempt, perhaps one at a time, must not keep new ones back.
    if (this.#run.mode !== "poll" || book.hasUntried) return Infinity;
    // Until acknowledgements get through again, a pass would list what is pushed already.
    return Math.max(reader.dueAt, acks.request.failure?.until ?? 0);
  }

  /** Asks for a page before the sink is called, which may answer at once: the service works on it meanwhile. */
  #poll(): void {
    if (!this.#isDue(this.#pageDueAt())) return;
    this.effects.unshift({ do: "poll", ...this.#core.reader.ask(this.#now) });
  }

  /** Back-pressure: pushing on while nothing can be acknowledged only adds scores that a crash delivers twice. */
  #push(): void {
    const { acks, book, reader, settings, sinkCalls } = this.#core;
    if (!this.#isDue(sinkCalls.failure?.until ?? 0)) return;
    // A score that was not tried yet may be on the page that is under way, or is due.
    const isRead = reader.request.isOpen || this.#pageDueAt() <= this.#now;
    if (sinkCalls.isProbing && !book.hasUntried && isRead) return;
    while (!acks.isFull && sinkCalls.hasRoom(this.#now)) {
      const entries = book.take(settings.sink.batchSize ?? 1, sinkCalls.isProbing);
      if (entries.length === 0) return;
      const call = sinkCalls.begin(entries, this.#now);
      this.effects.push({ do: "push", call, scores: entries.map(({ score }) => score!) });
    }
  }

  /** Waits for the calls under way, acknowledges their outcomes, gives the lease back and ends, each within its time. */
  #finish(): void {
    const { acks, reader, settings, sinkCalls, stoppedAt } = this.#core;
    const run = this.#run;
    if (reader.request.isOpen && this.#isDue(run.endingSince + pollTimeoutInMs)) reader.request.abandon();
    if (sinkCalls.open.size > 0 && this.#isDue(stoppedAt + settings.drainTimeoutInMs * callsShareOfDrain))
      this.#cutAllCalls();
    if (!this.#isDue(stoppedAt + settings.drainTimeoutInMs * runShareOfDrain)) {
      if (!run.hasGivenUpAcks) this.#acknowledge();
      const isAcknowledged = run.hasGivenUpAcks || acks.unsent === 0;
      if (reader.request.isOpen || sinkCalls.open.size > 0 || acks.request.isOpen || !isAcknowledged) return;
      if (run.phase === "finishing" && !reader.foundNone) {
        run.phase = "givingBack";
        this.effects.push({ do: "giveBack" });
      }
      if (run.phase === "givingBack") return;
    }
    this.#end();
  }

  #cutAllCalls(): void {
    const { book, sinkCalls } = this.#core;
    for (const [call, { entries }] of sinkCalls.open) {
      for (const entry of entries) book.release(entry);
      this.effects.push({ do: "cut", call });
    }
    sinkCalls.open.clear();
  }

  #end(): void {
    const core = this.#core;
    core.run = undefined;
    const summary = summaryOf(core, this.#run);
    const failure = this.#run.failure ?? refusalOf(core, this.#run, summary);
    if (ForwarderStoppedError.isInstance(failure)) core.condition = "failed";
    if (core.condition === "running") core.condition = "idle";
    this.effects.push({ do: "end", summary, failure });
    this.wakeAt = Infinity;
  }
}

function summaryOf({ book, counts, reader }: ForwarderCore, { before, ending }: Run): RunSummary {
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
function refusalOf({ sinkCalls }: ForwarderCore, { ending, mode }: Run, { delivered, failed }: RunSummary) {
  if (mode !== "drain" || ending === "halted" || sinkCalls.lastRefusal === undefined) return undefined;
  return delivered + failed > 0 ? undefined : stoppedBy(sinkCalls.lastRefusal);
}
