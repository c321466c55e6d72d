import { endpoints, methodAndPath, type EndpointKey } from "@afterword/protocol";
import type { Attributes, ObservableResult, SpanKind, SpanOptions } from "@opentelemetry/api";
import { rawPath, type NodeBindings } from "./request-context.ts";

type OpenTelemetry = typeof import("@opentelemetry/api");
type Answer = (request: Request, bindings: object) => Response | Promise<Response>;

/** Answers with telemetry, until it is closed: the meter would ask a stopped server for its requests in flight. */
export interface TracedAnswer {
  answer: Answer;
  close(): void;
}

const scope = "@afterword/reference-server";
/** Load balancers ask every second or so, and nothing calls from there. */
const probes: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);
/** Those that clients do not invent (OpenTelemetry's semantic conventions for HTTP). */
const methods = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"];
/** The buckets that the conventions recommend, in seconds. */
const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** A method on a route, as spans and metrics name it: only what is in the table of endpoints, never what a client sent. */
class Operation {
  readonly name: string;
  readonly attributes: Attributes;
  readonly spanOptions: SpanOptions;
  /** Requests in flight; `undefined` before the first. */
  active: number | undefined;
  readonly #byStatus = new Map<number, Attributes>();

  constructor(kind: SpanKind, method?: string, route?: string) {
    this.name = [method ?? "HTTP", ...(route === undefined ? [] : [route])].join(" ");
    const named = { "http.request.method": method ?? "_OTHER", "url.scheme": "http" };
    this.attributes = route === undefined ? named : { ...named, "http.route": route };
    this.spanOptions = {
      kind,
      attributes: route === undefined ? named : { ...this.attributes, "url.path": route },
    };
  }

  withStatus(status: number): Attributes {
    const known = this.#byStatus.get(status);
    if (known) return known;
    const outcome: Attributes = { ...this.attributes, "http.response.status_code": status };
    if (status >= 500) outcome["error.type"] = String(status);
    this.#byStatus.set(status, outcome);
    return outcome;
  }
}

/** Every operation that can be named. */
function operations(kind: SpanKind) {
  const paths = new Set((Object.keys(endpoints) as EndpointKey[]).map((key) => methodAndPath(key).path));
  const known = methods.flatMap((method) => [
    [method, new Operation(kind, method)] as const,
    ...[...paths].map((path) => [`${method} ${path}`, new Operation(kind, method, path)] as const),
  ]);
  const byName = new Map<string, Operation>(known);
  const other = new Operation(kind);
  const find = (method: string, path: string) =>
    byName.get(`${method} ${path}`) ?? byName.get(method) ?? other;
  return { all: [...byName.values(), other], find };
}

function traced(answer: Answer, api: OpenTelemetry, stopwatch: () => number): TracedAnswer {
  const { context, propagation, trace } = api;
  const tracer = trace.getTracer(scope);
  const meter = api.metrics.getMeter(scope);
  const { all, find } = operations(api.SpanKind.SERVER);
  const duration = meter.createHistogram("http.server.request.duration", {
    description: "Time until the reply began",
    unit: "s",
    advice: { explicitBucketBoundaries },
  });
  const inFlight = meter.createObservableUpDownCounter("http.server.active_requests", { unit: "{request}" });
  const observe = (result: ObservableResult) => {
    for (const { active, attributes } of all) if (active !== undefined) result.observe(active, attributes);
  };
  inFlight.addCallback(observe);
  const measured: Answer = async (request, bindings) => {
    const env: NodeBindings = bindings;
    const path = rawPath(request, { env });
    if (probes.has(path)) return answer(request, bindings);
    const operation = find(request.method, path);
    const startedAt = stopwatch();
    const active = context.active();
    // The span that is active already, for example of an instrumentation of Node's http; otherwise the caller's.
    const parent = trace.getSpan(active) ? active : propagation.extract(active, env.incoming?.headers);
    const span = tracer.startSpan(operation.name, operation.spanOptions, parent);
    operation.active = (operation.active ?? 0) + 1;
    let status = 500;
    try {
      const reply = await context.with(trace.setSpan(parent, span), answer, undefined, request, bindings);
      ({ status } = reply);
      return reply;
    } finally {
      operation.active!--;
      const outcome = operation.withStatus(status);
      duration.record((stopwatch() - startedAt) / 1000, outcome);
      span.setAttribute("http.response.status_code", status);
      if (status >= 500) {
        span.setAttribute("error.type", String(status));
        span.setStatus({ code: api.SpanStatusCode.ERROR });
      }
      span.end();
    }
  };
  return { answer: measured, close: () => inFlight.removeCallback(observe) };
}

/**
 * Answers each request inside of a span and measures it, if `@opentelemetry/api` is installed (decision O128). Register
 * the SDK before: the API's meters do not notice a later one.
 * @param stopwatch a monotonic clock, in milliseconds
 */
export async function withTelemetry(
  answer: Answer,
  stopwatch = performance.now.bind(performance),
): Promise<TracedAnswer> {
  try {
    return traced(answer, await import("@opentelemetry/api"), stopwatch);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND")
      return { answer, close: () => undefined };
    throw error;
  }
}
