import { context, metrics, propagation, trace } from "@opentelemetry/api";
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

const sampledShare = Number(new URL(import.meta.url).searchParams.get("sampled"));
const exporter = {
  export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
  shutdown: async () => undefined,
  forceFlush: async () => undefined,
};
const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampledShare) });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(
  new TracerProvider({ sampler, spanProcessors: [new BatchSpanProcessor({ exporter })] }),
);
const measured = new InMemoryMetricExporter(AggregationTemporality.DELTA);
setInterval(() => measured.reset(), 10_000).unref();
metrics.setGlobalMeterProvider(
  new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 10_000 })],
  }),
);
