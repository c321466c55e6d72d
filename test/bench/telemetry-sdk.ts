import { subscribe } from "node:diagnostics_channel";
import { context, metrics, propagation, ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";

// Preloaded into a server: the SDK as a service would use it, with exporters that discard what they get.

const { searchParams } = new URL(import.meta.url);
const sampledShare = Number(searchParams.get("sampled"));
const exporter = {
  export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
  shutdown: async () => undefined,
  forceFlush: async () => undefined,
};
const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampledShare) });
const contexts = new AsyncLocalStorageContextManager().enable();
const tracers = new TracerProvider({ sampler, spanProcessors: [new BatchSpanProcessor({ exporter })] });
const measured = new InMemoryMetricExporter(AggregationTemporality.DELTA);
setInterval(() => measured.reset(), 10_000).unref();
const meters = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 10_000 })],
});

/** The server finds the SDK and calls it. */
function register(): void {
  context.setGlobalContextManager(contexts);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(tracers);
  metrics.setGlobalMeterProvider(meters);
}

/** The server finds no SDK. Each request makes the fewest calls that any instrumentation makes. */
function makeBareCalls(): void {
  const tracer = tracers.getTracer("bench");
  const duration = meters.getMeter("bench").createHistogram("http.server.request.duration", { unit: "s" });
  const named = { "http.request.method": "POST", "http.route": "/v1/sdk/responses", "url.scheme": "http" };
  const options = { kind: SpanKind.SERVER, attributes: { ...named, "url.path": named["http.route"] } };
  const outcome = { ...named, "http.response.status_code": 201 };
  subscribe("http.server.request.start", () => {
    const span = tracer.startSpan("POST /v1/sdk/responses", options, ROOT_CONTEXT);
    // Not disposed of: what answers the request is still to run in it.
    contexts.attach(trace.setSpan(ROOT_CONTEXT, span));
    duration.record(0.005, outcome);
    span.end();
  });
}

if (searchParams.get("calls") === "bare") makeBareCalls();
else register();
