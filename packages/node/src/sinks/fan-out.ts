import { type DeliverableScore, defineSink, type ErasureOutcome, type Outcome } from "../scores/sink.ts";
import type { Sink, SinkOptions, SinkPart } from "../scores/sink.ts";
import { callDeliver } from "../scores/call-deliver.ts";
import { SinkCondition } from "../scores/sink-condition.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { safeListener } from "../options/safe-listener.ts";
import { askToErase } from "./ask-to-erase.ts";

export interface FanOutOptions {
  /** Receives the outcome of each score at each sink. Errors that it throws are ignored. */
  onOutcome?: ((sinkName: string, score: DeliverableScore, outcome: Outcome) => void) | undefined;
  /** Monotonic clock in milliseconds. Default `performance.now()`. */
  clock?: (() => number) | undefined;
}

/** Decisions that are remembered while another sink lags behind: more than a forwarder defers, at about 200 bytes each. */
const mostRemembered = 60_000;
/** How long to wait for a probe: one that never ends must not prevent the next. */
const probePatienceInMs = 60_000;

/**
 * Combines several sinks into one. A score is delivered when all sinks have it. Sinks that have it are not called again
 * while another lags behind, and a sink that is busy or down is paused while the others go on. When all sinks have decided
 * and one has refused the score for good, the score is refused, and the reason lists the sinks that have it.
 */
export function fanOut(sinks: readonly Sink[], options: FanOutOptions = {}): Sink {
  const { clock = () => performance.now() } = options;
  checkNames(sinks);
  const notify = safeListener(options.onOutcome);
  const branches = sinks.map((sink) => new Branch(sink, clock, notify));
  return defineSink({
    name: sinks.map((sink) => sink.name).join("+"),
    // The smallest: a larger batch would need several concurrent calls of that sink, more than the forwarder allows.
    batchSize: Math.min(...sinks.map(({ batchSize = 1 }) => batchSize)),
    textByDefault: sinks.every(({ textByDefault }) => textByDefault === "include") ? "include" : "omit",
    async deliver(scores, options) {
      const perSink = await Promise.all(branches.map((branch) => branch.deliver(scores, options)));
      const scope = branches.every(({ isDown }) => isDown) ? "sink" : "score";
      return scores.map(({ id }, index) => {
        const all = perSink.map((ofSink, sink) => ({ sink: sinks[sink]!.name, ...ofSink[index]! }));
        const outcome = combined(all, scope);
        // The forwarder takes no outcome from a call that it has aborted, and asks again.
        if (isFinal(outcome) && !options.signal.aborted) for (const branch of branches) branch.forget(id);
        return outcome;
      });
    },
    parts: () => branches.map((branch) => branch.part()),
    async eraseScores(scores, options) {
      const perSink = await Promise.all(sinks.map((sink) => askToErase(sink, scores, options)));
      return scores.map((_, index) => combinedErasure(perSink.map((outcomes) => outcomes[index]!)));
    },
    async close() {
      // One that throws leaves no other open.
      await Promise.all(sinks.map(async (sink) => await sink.close?.()));
    },
  });
}

type Notify = NonNullable<FanOutOptions["onOutcome"]>;

/** One of the sinks, called only for scores that it has not decided about. */
class Branch {
  readonly #sink: Sink;
  readonly #clock: () => number;
  readonly #notify: Notify;
  // The forwarder's own waits have jitter.
  readonly #condition = new SinkCondition({ random: () => 1 });
  /** The least recently seen score comes first. */
  readonly #decided = new Map<string, Outcome>();
  #probedUntil = 0;
  readonly #counts = { delivered: 0, failed: 0, retried: 0 };
  #lastProblem: string | null = null;

  constructor(sink: Sink, clock: () => number, notify: Notify) {
    this.#sink = sink;
    this.#clock = clock;
    this.#notify = notify;
  }

  part(): SinkPart {
    return {
      name: this.#sink.name,
      ...this.#counts,
      lastProblem: this.#lastProblem,
      isDown: this.isDown,
      needs: (id) => !this.#decided.has(id),
    };
  }

  get isDown(): boolean {
    return this.#condition.trouble !== undefined;
  }

  async deliver(scores: readonly DeliverableScore[], options: SinkOptions): Promise<Outcome[]> {
    const outcomes = new Map<string, Outcome>();
    for (const { id } of scores) {
      const known = this.#decided.get(id);
      if (known) outcomes.set(id, this.#remember(id, known));
    }
    const due = scores.filter(({ id }) => !outcomes.has(id));
    const fresh = due.length === 0 ? [] : await this.#push(due, options);
    for (const [index, { id }] of due.entries()) outcomes.set(id, fresh[index]!);
    return scores.map(({ id }) => outcomes.get(id)!);
  }

  forget(id: string): void {
    this.#decided.delete(id);
  }

  #remember(id: string, outcome: Outcome): Outcome {
    this.#decided.delete(id);
    this.#decided.set(id, outcome);
    if (this.#decided.size > mostRemembered) this.forget(this.#decided.keys().next().value!);
    return outcome;
  }

  /** While the sink is down, one call at a time probes it, after growing pauses. */
  async #push(scores: readonly DeliverableScore[], options: SinkOptions): Promise<Outcome[]> {
    const condition = this.#condition;
    const startedAt = this.#clock();
    const { trouble } = condition;
    if (trouble && Math.max(trouble.until, this.#probedUntil) > startedAt) {
      const afterInMs = Math.max(0, trouble.until - startedAt);
      return scores.map(() => ({ outcome: "retry", scope: "sink", reason: trouble.reason, afterInMs }));
    }
    if (trouble) this.#probedUntil = startedAt + probePatienceInMs;
    const outcomes = await callDeliver(this.#sink, scores, options);
    const now = this.#clock();
    const judged = outcomes.map((one) => condition.judge(one, now));
    condition.answered(startedAt, judged, now);
    this.#probedUntil = 0;
    return scores.map((score, index) => {
      // Only if all sinks refuse everything, the forwarder has to stop.
      const isFatal = outcomes[index]!.outcome === "fatal";
      return this.#note(score, isFatal ? outcomes[index]! : judged[index]!);
    });
  }

  #note(score: DeliverableScore, outcome: Outcome): Outcome {
    this.#notify(this.#sink.name, score, outcome);
    this.#counts[countOf[outcome.outcome]] += 1;
    if (outcome.outcome !== "delivered") this.#lastProblem = outcome.reason;
    return isFinal(outcome) ? this.#remember(score.id, outcome) : outcome;
  }
}

const countOf = { delivered: "delivered", permanent: "failed", retry: "retried", fatal: "retried" } as const;

const isFinal = ({ outcome }: Outcome) => outcome === "delivered" || outcome === "permanent";

/**
 * Nothing is final until all sinks have decided. A sink that refuses everything is retried like one that is down; the
 * outcome is `fatal` only when all of them refuse everything.
 */
function combined(outcomes: ({ sink: string } & Outcome)[], scope: "score" | "sink"): Outcome {
  const problems = outcomes.flatMap((one) => (one.outcome === "delivered" ? [] : [one]));
  const open = problems.filter((one) => !isFinal(one));
  if (problems.length === 0) return { outcome: "delivered" };
  const reasons = (open.length > 0 ? open : problems).map(({ reason }) => reason).join("; ");
  const holders = outcomes.filter(({ outcome }) => outcome === "delivered").map(({ sink }) => sink);
  const reason = `${reasons}${holders.length > 0 ? `; delivered to ${holders.join(", ")}` : ""}`;
  if (open.length === 0) return { outcome: "permanent", reason };
  if (outcomes.every(({ outcome }) => outcome === "fatal")) return { outcome: "fatal", reason };
  const waits = open.flatMap((one) => (one.outcome === "retry" ? (one.afterInMs ?? []) : []));
  return { outcome: "retry", scope, reason, afterInMs: Math.max(0, ...waits) || undefined };
}

function combinedErasure(outcomes: readonly ErasureOutcome[]): ErasureOutcome {
  const worst = (["failed", "unsupported"] as const).find((kind) =>
    outcomes.some(({ outcome }) => outcome === kind),
  );
  if (worst === undefined) return { outcome: "erased" };
  const reasons = outcomes.flatMap((one) => (one.outcome === "erased" ? [] : [one.reason]));
  return { outcome: worst, reason: reasons.join("; ") };
}

function checkNames(sinks: readonly Sink[]): void {
  const names = sinks.map((sink) => defineSink(sink).name);
  if (names.length === 0) throw new ConfigurationError("fanOut needs at least one sink.");
  if (new Set(names).size < names.length) {
    throw new ConfigurationError(`fanOut needs sinks with different names, but got ${names.join(", ")}.`);
  }
}
