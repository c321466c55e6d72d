import { errorName } from "../errors/error-name.ts";
import { safeListener } from "../options/safe-listener.ts";
import type { DeliverableScore, Outcome } from "../scores/sink.ts";

/** What a forwarder reports to a tracing and metrics library. */
export interface Telemetry {
  /** Wraps one call of the sink, which never rejects. `now` gives milliseconds. */
  deliver(
    sink: string,
    scores: readonly DeliverableScore[],
    call: () => Promise<Outcome[]>,
    now: () => number,
  ): Promise<Outcome[]>;
  /** One outcome of one score. */
  outcome(sink: string, outcome: Outcome["outcome"]): void;
  /** The lag of each sink, as in the health: once a second while a run lasts, and at its end. */
  lag(sink: string, lagInMs: number): void;
}

export const noTelemetry: Telemetry = {
  deliver: (_sink, _scores, call) => call(),
  outcome: () => undefined,
  lag: () => undefined,
};

/** The same telemetry, whose errors go to `failed` without their words: it may lose its own reports, but no score. */
export function safeTelemetry(telemetry: Telemetry, failed: (name: string) => void): Telemetry {
  return {
    async deliver(sink, scores, call, now) {
      let called: Promise<Outcome[]> | undefined;
      const callOnce = () => (called ??= call());
      try {
        await telemetry.deliver(sink, scores, callOnce, now);
      } catch (error) {
        failed(errorName(error));
      }
      return callOnce();
    },
    outcome: safeListener((sink, outcome) => telemetry.outcome(sink, outcome), failed),
    lag: safeListener((sink, lagInMs) => telemetry.lag(sink, lagInMs), failed),
  };
}

type OpenTelemetryApi = typeof import("@opentelemetry/api");

const scope = "@afterword/node";

/**
 * Writes to OpenTelemetry: a span `afterword.deliver` per call of the sink, the counter `afterword.scores` by sink and
 * outcome, the histogram `afterword.delivery.duration` and the gauge `afterword.lag`, both in seconds. No attribute
 * holds personal data. What the program has not set up by now has no metrics, and costs next to nothing.
 */
export function openTelemetry(api: OpenTelemetryApi): Telemetry {
  const { context, metrics, trace, SpanKind, SpanStatusCode } = api;
  const tracer = trace.getTracer(scope);
  const meter = metrics.getMeter(scope);
  const counter = meter.createCounter("afterword.scores", { description: "Scores by sink and outcome" });
  const duration = meter.createHistogram("afterword.delivery.duration", {
    unit: "s",
    description: "How long one call of the sink took",
  });
  const gauge = meter.createGauge("afterword.lag", {
    unit: "s",
    description: "Age of the oldest pending score",
  });
  return {
    async deliver(sink, _scores, call, now) {
      const startedAt = now();
      const span = tracer.startSpan("afterword.deliver", { kind: SpanKind.CLIENT });
      const outcomes = await context.with(trace.setSpan(context.active(), span), call);
      const delivered = outcomes.filter(({ outcome }) => outcome === "delivered").length;
      span.setAttributes({
        "afterword.sink": sink,
        "afterword.batch.size": outcomes.length,
        "afterword.batch.delivered": delivered,
      });
      if (delivered < outcomes.length) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      duration.record((now() - startedAt) / 1000, { "afterword.sink": sink });
      return outcomes;
    },
    outcome: (sink, outcome) => counter.add(1, { "afterword.sink": sink, "afterword.outcome": outcome }),
    lag: (sink, lagInMs) => gauge.record(lagInMs / 1000, { "afterword.sink": sink }),
  };
}
