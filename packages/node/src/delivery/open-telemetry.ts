import type { Telemetry } from "./telemetry.ts";

type OpenTelemetryApi = typeof import("@opentelemetry/api");

const scope = "@afterword/node";

/**
 * Writes to OpenTelemetry: a span `afterword.deliver` per call of the sink, the counter `afterword.scores` by sink and
 * outcome, the histogram `afterword.delivery.duration` and the gauge `afterword.lag`, both in seconds. No attribute
 * holds personal data.
 */
export function openTelemetry({ metrics, trace, SpanKind, SpanStatusCode }: OpenTelemetryApi): Telemetry {
  const tracer = trace.getTracer(scope);
  const meter = metrics.getMeter(scope);
  const scores = meter.createCounter("afterword.scores", { description: "Scores by sink and outcome" });
  const duration = meter.createHistogram("afterword.delivery.duration", {
    unit: "s",
    description: "How long one call of the sink took",
  });
  const lag = meter.createGauge("afterword.lag", {
    unit: "s",
    description: "Age of the oldest pending score at the last poll",
  });
  const inSeconds = (milliseconds: number) => milliseconds / 1000;

  return {
    deliver: (sink, batch, call, now) =>
      tracer.startActiveSpan("afterword.deliver", { kind: SpanKind.CLIENT }, async (span) => {
        const startedAt = now();
        const outcomes = await call();
        const delivered = outcomes.filter(({ outcome }) => outcome === "delivered").length;
        span.setAttributes({
          "afterword.sink": sink,
          "afterword.batch.size": batch.length,
          "afterword.batch.delivered": delivered,
        });
        if (delivered < batch.length) span.setStatus({ code: SpanStatusCode.ERROR });
        duration.record(inSeconds(now() - startedAt), { "afterword.sink": sink });
        span.end();
        return outcomes;
      }),
    outcome: (sink, outcome) => scores.add(1, { "afterword.sink": sink, "afterword.outcome": outcome }),
    lag: (sink, lagInMs) => lag.record(inSeconds(lagInMs), { "afterword.sink": sink }),
  };
}
