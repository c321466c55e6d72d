import { type DeliverableScore, defineSink, type ErasureOutcome, type Outcome } from "../scores/sink.ts";
import type { Sink, SinkOptions } from "../scores/sink.ts";
import { safeDeliver, safeErase } from "../scores/safe-sink.ts";
import { SinkCondition } from "../scores/sink-condition.ts";
import { ConfigurationError } from "../errors/afterword-error.ts";

/** What `fanOut` takes beside its sinks. */
export interface FanOutOptions {
  /** Monotonic clock in milliseconds. Default `performance.now()`. */
  clock?: (() => number) | undefined;
}

/** The last outcome of a score at each sink that has been called with it. */
type Outcomes = Map<Sink, Outcome>;

/** Scores of which the outcomes are kept: more than a forwarder defers, at about 200 bytes and the reasons of sinks that lag. */
const mostRemembered = 60_000;
/** How long to wait for a probe: one that never ends must not prevent the next. */
const probeTimeoutInMs = 60_000;

/**
 * Combines several sinks into one. A score is delivered when all sinks have it. Sinks that have it are not called again
 * while another lags behind, and a sink that is busy or down is paused while the others go on. When all sinks have decided
 * and one has refused the score for good, the score is refused, and the reason lists the sinks that have it.
 */
export function fanOut(sinks: readonly Sink[], options: FanOutOptions = {}): Sink {
  const names = sinks.map((sink) => defineSink(sink).name);
  if (names.length === 0) throw new ConfigurationError("fanOut needs at least one sink.");
  if (new Set(names).size < names.length)
    throw new ConfigurationError(`fanOut needs sinks with different names, but got ${names.join(", ")}.`);
  const branches = sinks.map((sink) => branchOf(sink, options));
  /** The least recently seen score comes first. */
  const remembered = new Map<string, Outcomes>();
  const outcomesOf = ({ id }: DeliverableScore) => {
    const outcomes: Outcomes = remembered.get(id) ?? new Map();
    remembered.delete(id);
    remembered.set(id, outcomes);
    if (remembered.size > mostRemembered) remembered.delete(remembered.keys().next().value!);
    return outcomes;
  };
  return defineSink({
    name: names.join("+"),
    // The smallest: a larger batch would need several concurrent calls of that sink, more than the forwarder allows.
    batchSize: Math.min(...sinks.map(({ batchSize = 1 }) => batchSize)),
    textByDefault: sinks.every(({ textByDefault }) => textByDefault === "include") ? "include" : "omit",
    async deliver(scores, options) {
      const known = new Map(scores.map((score) => [score, outcomesOf(score)]));
      await Promise.all(branches.map((branch) => branch.deliver(known, options)));
      const scope = branches.every(({ condition }) => condition.failure) ? "sink" : "score";
      return scores.map((score) => {
        const outcomes = sinks.map((sink) => ({ sink: sink.name, ...known.get(score)!.get(sink)! }));
        const outcome = combined(outcomes, scope);
        // The forwarder takes no outcome from a call that it has aborted, and asks again.
        if (isFinal(outcome) && !options.signal.aborted) remembered.delete(score.id);
        return outcome;
      });
    },
    parts: () =>
      branches.map(({ sink, condition: { counts, failure, lastProblem } }) => ({
        name: sink.name,
        ...counts,
        lastProblem,
        isDown: failure !== undefined,
        needs: (id) => !isFinal(remembered.get(id)?.get(sink)),
      })),
    async eraseScores(scores, options) {
      const perSink = await Promise.all(sinks.map((sink) => safeErase(sink, scores, options)));
      return scores.map((_, index) => combinedErasure(perSink.map((outcomes) => outcomes[index]!)));
    },
    async close() {
      // One that throws leaves no other open.
      await Promise.all(sinks.map(async (sink) => await sink.close?.()));
    },
  });
}

/** One of the sinks, called only for scores that it has not decided about. While it is down, one call at a time probes it. */
function branchOf(sink: Sink, { clock = () => performance.now() }: FanOutOptions) {
  // The forwarder's own waits have jitter.
  const condition = new SinkCondition({ random: () => 1 });
  let probedUntil = 0;
  return {
    sink,
    condition,
    async deliver(known: ReadonlyMap<DeliverableScore, Outcomes>, options: SinkOptions): Promise<void> {
      const due = [...known].filter(([, outcomes]) => !isFinal(outcomes.get(sink)));
      if (due.length === 0) return;
      const startedAt = clock();
      const { failure } = condition;
      if (failure && Math.max(failure.until, probedUntil) > startedAt) {
        const afterInMs = Math.max(0, failure.until - startedAt);
        const paused = { outcome: "retry", scope: "sink", reason: failure.reason, afterInMs } as const;
        for (const [, outcomes] of due) outcomes.set(sink, paused);
        return;
      }
      if (failure) probedUntil = startedAt + probeTimeoutInMs;
      const scores = due.map(([score]) => score);
      const answers = await safeDeliver(sink, scores, options);
      const now = clock();
      const judged = answers.map((one) => condition.judge(one, now));
      condition.answered(startedAt, judged, now);
      probedUntil = 0;
      // At once, since the call may be aborted because of another sink. A refusal of all scores stays one: if all sinks refuse
      // everything, the forwarder has to stop.
      for (const [index, one] of answers.entries())
        due[index]![1].set(sink, one.outcome === "fatal" ? one : judged[index]!);
    },
  };
}

const isFinal = (one: Outcome | undefined) => one?.outcome === "delivered" || one?.outcome === "permanent";

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

/** The same call may succeed later only if it may at each sink that has failed. */
function combinedErasure(outcomes: readonly ErasureOutcome[]): ErasureOutcome {
  const failures = outcomes.filter((one) => one.outcome !== "erased");
  const waits = failures.flatMap((one) => (one.outcome === "failed" ? [one.afterInMs ?? Infinity] : []));
  const reason = failures.map((one) => one.reason).join("; ");
  if (failures.length === 0) return { outcome: "erased" };
  if (waits.length === 0) return { outcome: "unsupported", reason };
  const afterInMs = Math.max(...waits);
  return { outcome: "failed", reason, afterInMs: afterInMs === Infinity ? undefined : afterInMs };
}
