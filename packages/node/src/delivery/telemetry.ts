import type { ObservableResult } from "@opentelemetry/api";
import type { Outcome } from "../scores/sink.ts";

/** The part of a forwarder's health that shows the lag of each sink. */
type ReadLags = () => { sinks: readonly { sink: string; lagInMs: number | null }[] };

/** What a forwarder reports to a tracing and metrics library. */
export interface Telemetry {
  /** A run begins. Once `stop()` is called, its lag is reported no more. */
  begin(health: ReadLags, stopped: AbortSignal): void;
  /** Wraps one call of the sink, which never rejects. */
  deliver(sink: string, call: () => Promise<Outcome[]>): Promise<Outcome[]>;
}

type OpenTelemetryApi = typeof import("@opentelemetry/api");

const scope = "@afterword/node";

/**
 * Writes to OpenTelemetry, if the program has it: a span `afterword.deliver` per call of the sink, the counter
 * `afterword.scores` by sink and outcome, the histogram `afterword.delivery.duration` and the gauge `afterword.lag`, both in
 * seconds. No attribute holds personal data. What the program has not set up when a first run begins has no metrics, and costs
 * next to nothing. An error of OpenTelemetry may lose its own reports, but no score.
 */
export function openTelemetry(
  now: () => number,
  load: () => Promise<OpenTelemetryApi> = () => import("@opentelemetry/api"),
): Telemetry {
  let loaded: Promise<ReturnType<typeof instruments> | undefined> | undefined;
  return {
    begin(health, stopped) {
      loaded ??= load()
        .then((api) => instruments(api, now, health, stopped))
        .catch(() => undefined);
    },
    async deliver(sink, call) {
      let called: Promise<Outcome[]> | undefined;
      const callOnce = () => (called ??= call());
      const deliver = await loaded;
      await deliver?.(sink, callOnce).catch(() => undefined);
      return await callOnce();
    },
  };
}

/** Shows the lag, and returns what measures a call of the sink. */
function instruments(api: OpenTelemetryApi, now: () => number, health: ReadLags, stopped: AbortSignal) {
  const { context, metrics, trace, SpanKind, SpanStatusCode } = api;
  const tracer = trace.getTracer(scope);
  const meter = metrics.getMeter(scope);
  const counter = meter.createCounter("afterword.scores", { description: "Scores by sink and outcome" });
  const duration = meter.createHistogram("afterword.delivery.duration", {
    unit: "s",
    description: "How long one call of the sink took",
  });
  const gauge = meter.createObservableGauge("afterword.lag", {
    unit: "s",
    description: "Age of the oldest pending score",
  });
  const observe = (lag: ObservableResult) => {
    if (stopped.aborted) return gauge.removeCallback(observe);
    for (const { sink, lagInMs } of health().sinks)
      if (lagInMs !== null) lag.observe(lagInMs / 1000, { "afterword.sink": sink });
  };
  gauge.addCallback(observe);
  return async (sink: string, call: () => Promise<Outcome[]>): Promise<void> => {
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
    for (const { outcome } of outcomes)
      counter.add(1, { "afterword.sink": sink, "afterword.outcome": outcome });
  };
}
