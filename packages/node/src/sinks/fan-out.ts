import {
  type DeliverableScore,
  defineSink,
  type ErasureOutcome,
  isOutcome,
  type Outcome,
  type Sink,
  type SinkOptions,
  type SinkPart,
} from "../scores/sink.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { checkedWholeNumber } from "../options/checked-whole-number.ts";
import { safeListener } from "../options/safe-listener.ts";
import { askToErase } from "./ask-to-erase.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { Decisions } from "./decisions.ts";

export interface FanOutOptions {
  /** Receives the outcome of each score at each sink. Errors that it throws are ignored. */
  onOutcome?: (sinkName: string, score: DeliverableScore, outcome: Outcome) => void;
  /**
   * Maximum number of scores whose deliveries are remembered while another sink lags behind, at about 200 bytes each. When
   * 90 % of them wait for a sink that is down or does not know their sessions yet, the others get no new scores. Default
   * 60,000, more than a forwarder defers.
   */
  memorySize?: number;
  /** Monotonic clock in milliseconds. Default `performance.now()`. */
  clock?: () => number;
}

/**
 * Combines several sinks into one. A score is delivered when all sinks have it. Sinks that have it are not called again
 * while another lags behind, and a sink that is busy or down is paused while the others go on. When all sinks have decided
 * and one has refused the score for good, the score is refused, and the reason lists the sinks that have it.
 */
export function fanOut(sinks: readonly Sink[], options: FanOutOptions = {}): Sink {
  const { memorySize = 60_000, clock = () => performance.now() } = options;
  checkNames(sinks);
  const name = sinks.map((sink) => sink.name).join("+");
  const decisions = new Decisions(checkedWholeNumber("memorySize", memorySize, 1), sinks.length);
  const notify = safeListener(options.onOutcome);
  const branches = sinks.map((sink, place) => new Branch(sink, place, { decisions, clock, notify }));
  return defineSink({
    name,
    // The smallest: a larger batch would need several concurrent calls of that sink, more than the forwarder allows.
    batchSize: Math.min(...sinks.map(({ batchSize = 1 }) => batchSize)),
    textByDefault: sinks.every(({ textByDefault }) => textByDefault === "include") ? "include" : "omit",
    async deliver(scores, options) {
      const isProbe = branches.some(({ isDue }) => isDue);
      const admitted = scores.filter(({ id }) => decisions.admit(id, clock(), isProbe));
      const perSink = await Promise.all(branches.map((branch) => branch.deliver(admitted, options)));
      const scope = branches.every(({ isPaused }) => isPaused) ? "sink" : "score";
      const outcomes = new Map<string, Outcome>();
      for (const [index, { id }] of admitted.entries()) {
        const all = perSink.map((ofSink, sink) => ({ sink: sinks[sink]!.name, ...ofSink[index]! }));
        const outcome = combined(all, scope);
        outcomes.set(id, outcome);
        if (isFinal(outcome)) decisions.forget(id);
        else decisions.forgetUndecided(id);
      }
      return scores.map(({ id }) => outcomes.get(id) ?? noPlace(name, branches));
    },
    parts: () => branches.map((branch) => branch.part()),
    async eraseScores(scores, options) {
      const perSink = await Promise.all(sinks.map((sink) => askToErase(sink, scores, options)));
      return scores.map((_, index) => combinedErasure(perSink.map((outcomes) => outcomes[index]!)));
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close?.()));
    },
  });
}

/** What the branches share. */
interface Trunk {
  decisions: Decisions;
  clock: () => number;
  notify: (sinkName: string, score: DeliverableScore, outcome: Outcome) => void;
}

/** One of the sinks, called only for scores that it has not decided about. */
class Branch {
  readonly #sink: Sink;
  /** Index among the sinks. */
  readonly #place: number;
  readonly #trunk: Trunk;
  readonly #pause = new CircuitBreaker();
  readonly #counts = { delivered: 0, failed: 0, retried: 0 };
  #lastProblem: string | null = null;

  constructor(sink: Sink, place: number, trunk: Trunk) {
    this.#sink = sink;
    this.#place = place;
    this.#trunk = trunk;
  }

  part(): SinkPart {
    return {
      name: this.#sink.name,
      ...this.#counts,
      lastProblem: this.#lastProblem,
      pausedForInMs: this.#pause.leftInMs(this.#trunk.clock()),
      needs: (id) => this.#trunk.decisions.of(id, this.#place) === undefined,
    };
  }

  get isPaused(): boolean {
    return this.#pause.isOn;
  }

  /** Whether the sink has failed as a whole and may be probed now. */
  get isDue(): boolean {
    return this.isPaused && this.instead === undefined;
  }

  get instead() {
    return this.#pause.instead(this.#trunk.clock());
  }

  async deliver(scores: readonly DeliverableScore[], options: SinkOptions): Promise<Outcome[]> {
    const before = scores.map(({ id }) => this.#trunk.decisions.of(id, this.#place));
    const due = scores.filter((_, index) => before[index] === undefined);
    const fresh = due.length === 0 ? [] : await this.#push(due, options);
    const outcomes = new Map(due.map(({ id }, index) => [id, fresh[index]!]));
    return scores.map(({ id }, index) => before[index] ?? outcomes.get(id)!);
  }

  async #push(scores: readonly DeliverableScore[], options: SinkOptions): Promise<Outcome[]> {
    const startedAt = this.#trunk.clock();
    const paused = this.#pause.instead(startedAt);
    if (paused !== undefined) return scores.map(() => paused);
    this.#pause.called(startedAt);
    const outcomes = (await this.#attempt(scores, options)).map((one) => this.#pause.judged(one));
    this.#pause.answered(outcomes, startedAt, this.#trunk.clock());
    scores.forEach((score, index) => this.#note(score, outcomes[index]!));
    return outcomes;
  }

  async #attempt(scores: readonly DeliverableScore[], options: SinkOptions): Promise<Outcome[]> {
    const reason = `${this.#sink.name} threw or returned no outcome`;
    const silent: Outcome = { outcome: "retry", scope: "sink", reason };
    const call = async (): Promise<(Outcome | undefined)[]> => [
      ...(await this.#sink.deliver(scores, options)),
    ];
    const outcomes = await call().catch(() => []);
    return scores.map((_, index) => (isOutcome(outcomes[index]) ? outcomes[index] : silent));
  }

  #note(score: DeliverableScore, outcome: Outcome): void {
    this.#trunk.notify(this.#sink.name, score, outcome);
    this.#counts[countOf[outcome.outcome]] += 1;
    if (outcome.outcome !== "delivered") this.#lastProblem = outcome.reason;
    if (isFinal(outcome)) this.#trunk.decisions.note(score.id, this.#place, outcome, this.#trunk.clock());
  }
}

/** The outcome for a score without a place: all scores wait for the sink that lags behind. */
function noPlace(name: string, branches: readonly Branch[]): Outcome {
  const pauses = branches.flatMap(({ instead }) => instead ?? []);
  const waits = pauses.flatMap(({ afterInMs }) => afterInMs ?? []);
  const lagging = `one of ${name} lags behind`;
  const behind = pauses.map(({ reason }) => reason).join("; ") || lagging;
  const reason = `${behind}; the memory for waiting scores is full`;
  return { outcome: "retry", scope: "sink", reason, afterInMs: longest(waits) };
}

const countOf = { delivered: "delivered", permanent: "failed", retry: "retried", fatal: "retried" } as const;

const longest = (waitsInMs: readonly number[]) => Math.max(0, ...waitsInMs) || undefined;

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
  return { outcome: "retry", scope, reason, afterInMs: longest(waits) };
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
  const names = sinks.map(({ name }) => name);
  if (names.length === 0) throw new ConfigurationError("fanOut needs at least one sink.");
  if (new Set(names).size < names.length) {
    throw new ConfigurationError(`fanOut needs sinks with different names, but got ${names.join(", ")}.`);
  }
}
