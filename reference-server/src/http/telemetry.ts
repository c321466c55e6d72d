import { endpoints, methodAndPath, type EndpointKey } from "@afterword/protocol";
import type { Attributes, Context } from "@opentelemetry/api";
import { rawPath, type NodeBindings } from "./request-context.ts";

type OpenTelemetry = typeof import("@opentelemetry/api");
type Answer = (request: Request, bindings: object) => Response | Promise<Response>;

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
  readonly spanAttributes: Attributes;
  /** Requests in flight; `undefined` before the first. */
  active: number | undefined;
  readonly #byStatus = new Map<number, Attributes>();

  constructor(method: string | undefined, route?: string) {
    this.name = [method ?? "HTTP", ...(route === undefined ? [] : [route])].join(" ");
    const named = { "http.request.method": method ?? "_OTHER", "url.scheme": "http" };
    this.attributes = route === undefined ? named : { ...named, "http.route": route };
    this.spanAttributes = route === undefined ? named : { ...this.attributes, "url.path": route };
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
function operations() {
  const paths = new Set((Object.keys(endpoints) as EndpointKey[]).map((key) => methodAndPath(key).path));
  const known = methods.flatMap((method) => [
    [method, new Operation(method)] as const,
    ...[...paths].map((path) => [`${method} ${path}`, new Operation(method, path)] as const),
  ]);
  const byName = new Map<string, Operation>(known);
  const other = new Operation(undefined);
  const find = (method: string, path: string) =>
    byName.get(`${method} ${path}`) ?? byName.get(method) ?? other;
  return { all: [...byName.values(), other], find };
}

/** The span that is active already, for example of an instrumentation of Node's http; otherwise the caller's. */
function parentOf({ context, propagation, trace }: OpenTelemetry, { headers }: Request): Context {
  const active = context.active();
  if (trace.getSpan(active)) return active;
  return propagation.extract(active, headers, {
    keys: (carrier) => [...carrier.keys()],
    get: (carrier, name) => carrier.get(name) ?? undefined,
  });
}

function traced(answer: Answer, api: OpenTelemetry, stopwatch: () => number): Answer {
  const tracer = api.trace.getTracer(scope);
  const meter = api.metrics.getMeter(scope);
  const { all, find } = operations();
  const duration = meter.createHistogram("http.server.request.duration", {
    description: "Time until the reply began",
    unit: "s",
    advice: { explicitBucketBoundaries },
  });
  meter
    .createObservableUpDownCounter("http.server.active_requests", { unit: "{request}" })
    .addCallback((result) => {
      for (const { active, attributes } of all) if (active !== undefined) result.observe(active, attributes);
    });
  return async (request, bindings) => {
    const path = rawPath(request, { env: bindings as NodeBindings });
    if (probes.has(path)) return answer(request, bindings);
    const operation = find(request.method, path);
    const startedAt = stopwatch();
    const parent = parentOf(api, request);
    const options = { kind: api.SpanKind.SERVER, attributes: operation.spanAttributes };
    const span = tracer.startSpan(operation.name, options, parent);
    operation.active = (operation.active ?? 0) + 1;
    let status = 500;
    try {
      const reply = await api.context.with(api.trace.setSpan(parent, span), () => answer(request, bindings));
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
}

/**
 * Answers each request inside of a span and measures it, if `@opentelemetry/api` is installed (decision O128). Register
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
