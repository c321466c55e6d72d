import { endpoints, methodAndPath, type EndpointKey } from "@afterword/protocol";
import type { Attributes } from "@opentelemetry/api";
import { type NodeBindings, rawPath } from "@afterword/reference-server/internal";

type OpenTelemetry = typeof import("@opentelemetry/api");
export type Answer = (request: Request, bindings: object) => Response | Promise<Response>;

const scope = "@afterword/reference-server";
/** Load balancers ask every second or so, and nothing calls from there. */
const probes: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);
/** The methods that clients do not invent (OpenTelemetry's semantic conventions for HTTP). */
const methods = new Set(["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]);
const routes = new Set((Object.keys(endpoints) as EndpointKey[]).map((key) => methodAndPath(key).path));
/** The buckets that the conventions recommend, in seconds. */
const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Name and attributes of a request: only what is in the table of endpoints, never what a client sent. */
function operationOf(sentMethod: string, path: string) {
  const method = methods.has(sentMethod) ? sentMethod : undefined;
  const route = method !== undefined && routes.has(path) ? path : undefined;
  const attributes: Attributes = { "http.request.method": method ?? "_OTHER", "url.scheme": "http" };
  if (route !== undefined) attributes["http.route"] = route;
  return { name: [method ?? "HTTP", route].filter(Boolean).join(" "), route, attributes };
}

function traced(answer: Answer, api: OpenTelemetry, stopwatch: () => number): Answer {
  const { context, propagation, trace } = api;
  const tracer = trace.getTracer(scope);
  const meter = api.metrics.getMeter(scope);
  const duration = meter.createHistogram("http.server.request.duration", {
    description: "Time until the reply began",
    unit: "s",
    advice: { explicitBucketBoundaries },
  });
  const inFlight = meter.createUpDownCounter("http.server.active_requests", { unit: "{request}" });
  return async (request, bindings) => {
    const env: NodeBindings = bindings;
    const path = rawPath(request, { env });
    if (probes.has(path)) return answer(request, bindings);
    const { name, route, attributes } = operationOf(request.method, path);
    const startedAt = stopwatch();
    const active = context.active();
    // The span that is active already, for example of an instrumentation of Node's http; otherwise the caller's.
    const parent = trace.getSpan(active) ? active : propagation.extract(active, env.incoming?.headers);
    const ofSpan = route === undefined ? attributes : { ...attributes, "url.path": route };
    const span = tracer.startSpan(name, { kind: api.SpanKind.SERVER, attributes: ofSpan }, parent);
    inFlight.add(1, attributes);
    let status = 500;
    try {
      const reply = await context.with(trace.setSpan(parent, span), answer, undefined, request, bindings);
      ({ status } = reply);
      return reply;
    } finally {
      inFlight.add(-1, attributes);
      const outcome: Attributes = { "http.response.status_code": status };
      if (status >= 500) outcome["error.type"] = String(status);
      duration.record((stopwatch() - startedAt) / 1000, { ...attributes, ...outcome });
      span.setAttributes(outcome);
      if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    }
  };
}

/**
 * Answers each request inside of a span and measures it, if `@opentelemetry/api` is installed. Register
 * the SDK before: the API's meters do not notice a later one.
 * @param stopwatch a monotonic clock, in milliseconds
 */
export async function withTelemetry(
  answer: Answer,
  stopwatch = performance.now.bind(performance),
): Promise<Answer> {
  try {
    return traced(answer, await import("@opentelemetry/api"), stopwatch);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return answer;
    throw error;
  }
}
