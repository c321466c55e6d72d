import { context, metrics, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { startServer, type RunningServer, type ServerEvent } from "@afterword/server";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { openTcpGate } from "../faults/tcp-gate.ts";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "./api/projects.ts";
import { freshPostgres } from "./postgres-database.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callersSpan = "b7ad6b7169203331";
const spans = new InMemorySpanExporter();
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: measured });
/** The spans that were active while the server wrote its log. */
const activeSpans: (string | undefined)[] = [];
let server: RunningServer;
let client: ApiClient;

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }),
  );
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const emit = (event: ServerEvent) => {
    if (event.kind === "request") activeSpans.push(trace.getActiveSpan()?.spanContext().spanId);
  };
  const config = { rateLimits: false as const, projects: [project("p")] };
  server = await startServer({ config, events: { emit } });
  client = new ApiClient(server.url, keysOf("p"));
});
beforeEach(() => spans.reset());
afterAll(async () => {
  await server.close();
  await reader.shutdown();
  for (const api of [context, propagation, trace, metrics]) api.disable();
});

const summary = () =>
  spans.getFinishedSpans().map(({ name, kind, attributes, status }) => ({ name, kind, attributes, status }));

describe("the spans of a server", () => {
  it("are named by method and route, and have the attributes of an HTTP server", async () => {
    await client.answer("p-nps", "ann");
    const named = (method: string, route: string, status: number) => ({
      name: `${method} ${route}`,
      kind: SpanKind.SERVER,
      attributes: {
        "http.request.method": method,
        "http.route": route,
        "url.path": route,
        "url.scheme": "http",
        "http.response.status_code": status,
      },
      status: { code: SpanStatusCode.UNSET },
    });
    expect(summary()).toEqual([
      named("POST", "/v1/sdk/tokens", 200),
      named("POST", "/v1/sdk/responses", 201),
    ]);
  });

  it("belong to the trace of a caller that sends a traceparent, and to one of their own otherwise", async () => {
    const headers = { traceparent: `00-${traceId}-${callersSpan}-01` };
    await client.server("GET", "/v1/sdk/pending-scores", { headers });
    await client.server("GET", "/v1/sdk/pending-scores");
    const [called, own] = spans.getFinishedSpans();
    expect(called!.spanContext().traceId).toBe(traceId);
    expect(called!.parentSpanContext).toMatchObject({ spanId: callersSpan, isRemote: true });
    expect(own!.parentSpanContext).toBeUndefined();
    expect(own!.spanContext().traceId).not.toBe(traceId);
  });

  it("are active while the request is answered and logged", async () => {
    activeSpans.length = 0;
    await client.bootstrap("bob");
    expect(activeSpans).toEqual([spans.getFinishedSpans()[0]!.spanContext().spanId]);
  });

  it("contain nothing that a client sent: no path, query, method, key, token, person, address or text", async () => {
    await client.answer("p-nps", "canary-person", { text: "canary words" });
    await client.call("GET", "/v1/definitions", { query: { userId: "canary", key: "aw_pk_canary" } });
    await client.call("GET", "/canary/path", { query: "q=canary", headers: { "user-agent": "canary" } });
    await client.call("CANARY", "/v1/sdk/bootstrap");
    await client.call("POST", "/v1/sdk/responses", {
      body: { key: keysOf("p").publishableKey, showToken: "st1.canary" },
    });
    const told = JSON.stringify(summary());
    expect(told).not.toMatch(/canary|aw_[ps]k_|st[12]\.|127\.0\.0\.1/i);
    expect(summary().map(({ name }) => name)).toContain("GET");
  });

  it("are errors when the server fails, and not when it refuses", async () => {
    const url = new URL(await freshPostgres(inject("postgresUrl")));
    const gate = await openTcpGate(url.hostname, Number(url.port));
    url.port = String(gate.port);
    const config = { rateLimits: false as const, projects: [project("p")] };
    await using failing = await startServer({ database: url.href, config });
    const there = new ApiClient(failing.url, keysOf("p"));
    expect((await there.call("POST", "/v1/sdk/bootstrap", { body: {} })).status).toBe(400);
    gate.cut();
    expect((await there.bootstrap("ann")).status).toBe(503);
    gate.open();
    const [refused, failed] = spans.getFinishedSpans();
    expect(refused!.status.code).toBe(SpanStatusCode.UNSET);
    expect(failed!.status.code).toBe(SpanStatusCode.ERROR);
    expect(failed!.attributes["error.type"]).toBe("503");
    await gate.close();
  });

  it("are not made of health checks", async () => {
    for (const path of ["/healthz", "/readyz"]) await fetch(`${server.url}${path}`);
    expect(summary()).toEqual([]);
  });
});

describe("the metrics of a server in OpenTelemetry", () => {
  it("measure the time to each reply and count requests in flight, by method, route and status", async () => {
    await client.answer("p-nps", "cyd");
    measured.reset();
    await reader.forceFlush();
    const all = measured
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    const of = (name: string) => all.find(({ descriptor }) => descriptor.name === name)!;
    const duration = of("http.server.request.duration");
    expect(duration.descriptor.unit).toBe("s");
    const attributes = {
      "http.request.method": "POST",
      "http.route": "/v1/sdk/responses",
      "url.scheme": "http",
    };
    const stored = duration.dataPoints.find(
      ({ attributes: one }) => one["http.response.status_code"] === 201,
    )!;
    expect(stored.attributes).toEqual({ ...attributes, "http.response.status_code": 201 });
    expect(stored.value).toMatchObject({ count: expect.any(Number) as number });
    const active = of("http.server.active_requests").dataPoints;
    expect(active.find(({ attributes: one }) => one["http.route"] === "/v1/sdk/responses")).toMatchObject({
      attributes,
      value: 0,
    });
    expect(JSON.stringify(all)).not.toMatch(/canary/i);
  });
});
