import type { Span } from "@opentelemetry/api";
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

type OpenTelemetryApi = typeof import("@opentelemetry/api");

const scope = "@afterword/node";

/**
 * Writes to OpenTelemetry: a span `afterword.deliver` per call of the sink, the counter `afterword.scores` by sink and
 * outcome, the histogram `afterword.delivery.duration` and the gauge `afterword.lag`, both in seconds. No attribute
 * holds personal data.
 */
export function openTelemetry(api: OpenTelemetryApi): Telemetry {
  const { context, trace, SpanKind } = api;
  const tracer = trace.getTracer(scope);
  const { measure, ...metrics } = measurements(api);
  const spanOptions = { kind: SpanKind.CLIENT };

  return {
    ...metrics,
    deliver(sink, _scores, call, now) {
      const measured = measure ? () => measure(sink, call, now) : call;
      const span = tracer.startSpan("afterword.deliver", spanOptions);
      // Without a tracer, skip the span: there may be a call for each of a million scores.
      if (!span.isRecording() && !api.isSpanContextValid(span.spanContext())) return measured();
      return context.with(trace.setSpan(context.active(), span), () =>
        measured().then((outcomes) => {
          describe(api, span, sink, outcomes);
          return outcomes;
        }),
      );
    },
  };
}

function describe(api: OpenTelemetryApi, span: Span, sink: string, outcomes: readonly Outcome[]): void {
  const delivered = outcomes.filter(({ outcome }) => outcome === "delivered").length;
  span.setAttributes({
    "afterword.sink": sink,
    "afterword.batch.size": outcomes.length,
    "afterword.batch.delivered": delivered,
  });
  if (delivered < outcomes.length) span.setStatus({ code: api.SpanStatusCode.ERROR });
  span.end();
}

/** The instruments; without `measure` if the program had no meter when the forwarder was created. */
function measurements({ metrics, createNoopMeter }: OpenTelemetryApi) {
  const meter = metrics.getMeter(scope);
  if (meter === createNoopMeter()) return { outcome: noTelemetry.outcome, lag: noTelemetry.lag };
  const scores = meter.createCounter("afterword.scores", { description: "Scores by sink and outcome" });
  const duration = meter.createHistogram("afterword.delivery.duration", {
    unit: "s",
    description: "How long one call of the sink took",
  });
  const lag = meter.createGauge("afterword.lag", {
    unit: "s",
    description: "Age of the oldest pending score",
  });
  const inSeconds = (milliseconds: number) => milliseconds / 1000;
  return {
    outcome: (sink: string, outcome: Outcome["outcome"]) =>
      scores.add(1, { "afterword.sink": sink, "afterword.outcome": outcome }),
    lag: (sink: string, lagInMs: number) => lag.record(inSeconds(lagInMs), { "afterword.sink": sink }),
    async measure(sink: string, call: () => Promise<Outcome[]>, now: () => number): Promise<Outcome[]> {
      const startedAt = now();
      const outcomes = await call();
      duration.record(inSeconds(now() - startedAt), { "afterword.sink": sink });
      return outcomes;
    },
  };
}
