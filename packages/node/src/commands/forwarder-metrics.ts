import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ForwarderStatus } from "../delivery/forwarder-status.ts";
import type { Outcome, Sink } from "../scores/sink.ts";

type Readings = Pick<ForwarderStatus, "sinks" | "unacknowledged" | "leased" | "stalled" | "serviceFailures">;

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * The kind of a reason: a status, `timeout`, `io` (network or file) or `other`. A reason itself may not be a label, since
 * each label is a time series. The wording is that of sinks/sink-request.ts and sinks/jsonl.ts.
 */
export function reasonLabel(reason: string): string {
  const status = / answered ([1-5]\d\d)\b/.exec(reason)?.[1];
  if (status !== undefined) return status;
  if (/ (?:no answer within|was aborted)/.test(reason)) return "timeout";
  return / failed: /.test(reason) ? "io" : "other";
}

/** Whether the outcome is about the sink as a whole. */
const isFailureOfSink = (one: Outcome) =>
  one.outcome === "fatal" || (one.outcome === "retry" && one.scope === "sink");

/** Metrics of `afterword forward`, in Prometheus' format. Labels are sinks and kinds of reasons, never data. */
export class ForwarderMetrics {
  readonly #registry = new Registry();
  readonly #delivered = new Counter(
    this.#named("delivered_total", "Scores that the sink has accepted", "sink"),
  );
  readonly #failed = new Counter(
    this.#named("failed_total", "Scores that the sink has refused for good", "sink", "reason"),
  );
  readonly #retries = new Counter(this.#named("retries_total", "Attempts that have to be repeated", "sink"));
  readonly #errors = new Counter(
    this.#named("sink_errors_total", "Calls of a sink that was down or refused the key", "sink", "reason"),
  );
  readonly #duration = new Histogram({
    ...this.#named("sink_duration_seconds", "How long one call of the sink took", "sink"),
    buckets,
  });
  readonly #pending = new Gauge(
    this.#named("pending", "Scores that wait, among those that the last polls have listed", "sink"),
  );
  readonly #lag = new Gauge(
    this.#named(
      "lag_seconds",
      "Age of the oldest score that is not confirmed; at least the time since the queue could be read",
      "sink",
    ),
  );
  readonly #unacknowledged = new Gauge(
    this.#named("unacknowledged", "Scores with an outcome that the service has not confirmed"),
  );
  readonly #leased = new Gauge(this.#named("leased", "Scores that other forwarders hold"));
  readonly #stalled = new Gauge(this.#named("stalled", "1 while the forwarder delivers nothing and should"));
  readonly #serviceErrors = new Counter(
    this.#named("service_errors_total", "Calls of the service that have failed", "call"),
  );

  readonly contentType = this.#registry.contentType;

  constructor() {
    // Memory, garbage collection and the delay of the event loop.
    collectDefaultMetrics({ register: this.#registry });
  }

  /** The same sink, with its calls counted and timed. */
  watch(sink: Sink): Sink {
    const labels = { sink: sink.name };
    // A counter that is missing before its first event hides that event from `rate`.
    for (const counter of [this.#delivered, this.#retries]) counter.inc(labels, 0);
    return {
      ...sink,
      deliver: async (scores, options) => {
        const stop = this.#duration.startTimer(labels);
        const outcomes = await sink.deliver(scores, options).finally(stop);
        this.#count(sink.name, outcomes);
        return outcomes;
      },
    };
  }

  /** What a scrape gets at this health. */
  text(status: Readings): Promise<string> {
    const { sinks, unacknowledged, leased, stalled, serviceFailures } = status;
    for (const metric of [this.#pending, this.#lag, this.#serviceErrors]) metric.reset();
    for (const { sink, pending, lagInMs } of sinks) {
      this.#pending.set({ sink }, pending);
      if (lagInMs !== null) this.#lag.set({ sink }, lagInMs / 1000);
    }
    this.#unacknowledged.set(unacknowledged);
    this.#leased.set(leased.count);
    this.#stalled.set(Number(stalled !== null));
    for (const [call, count] of Object.entries(serviceFailures)) this.#serviceErrors.inc({ call }, count);
    return this.#registry.metrics();
  }

  #named(name: string, help: string, ...labelNames: string[]) {
    return { name: `afterword_forwarder_${name}`, help, labelNames, registers: [this.#registry] };
  }

  #count(sink: string, outcomes: readonly Outcome[]): void {
    for (const one of outcomes) {
      if (one.outcome === "delivered") this.#delivered.inc({ sink });
      else if (one.outcome === "permanent") this.#failed.inc({ sink, reason: reasonLabel(one.reason) });
      else this.#retries.inc({ sink });
    }
    const failure = outcomes.find(isFailureOfSink);
    if (failure && failure.outcome !== "delivered") {
      this.#errors.inc({ sink, reason: reasonLabel(failure.reason) });
    }
  }
}
