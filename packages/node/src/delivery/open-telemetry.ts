import type { Span } from "@opentelemetry/api";
import type { Outcome } from "./sink.ts";
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
  const spanOptions = { kind: SpanKind.CLIENT };
  const inSeconds = (milliseconds: number) => milliseconds / 1000;

  function describe(span: Span, sink: string, outcomes: readonly Outcome[]): void {
    const delivered = outcomes.filter(({ outcome }) => outcome === "delivered").length;
    span.setAttributes({
      "afterword.sink": sink,
      "afterword.batch.size": outcomes.length,
      "afterword.batch.delivered": delivered,
    });
    if (delivered < outcomes.length) span.setStatus({ code: SpanStatusCode.ERROR });
  }

  return {
    // Without await: where nobody listens, all of this should cost a call next to nothing.
    deliver: (sink, _scores, call, now) =>
      tracer.startActiveSpan("afterword.deliver", spanOptions, (span) => {
        const startedAt = now();
        return call().then((outcomes) => {
          duration.record(inSeconds(now() - startedAt), { "afterword.sink": sink });
          if (span.isRecording()) describe(span, sink, outcomes);
          span.end();
          return outcomes;
        });
      }),
    outcome: (sink, outcome) => scores.add(1, { "afterword.sink": sink, "afterword.outcome": outcome }),
    lag: (sink, lagInMs) => lag.record(inSeconds(lagInMs), { "afterword.sink": sink }),
  };
}
