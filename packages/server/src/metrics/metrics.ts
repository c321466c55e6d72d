import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { endpoints } from "@afterword/protocol";
import { type ServerEvent, type ServerEvents } from "../audit/audit-trail.ts";

const knownOperations = new Set(
  Object.keys(endpoints).flatMap((key) =>
    key.startsWith("GET ") ? [key, key.replace("GET", "HEAD")] : [key],
  ),
);
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Clients must not be able to create labels: each is a time series. */
const operationOf = (method: string, route: string | undefined) => {
  const operation = `${method} ${route ?? ""}`;
  return knownOperations.has(operation) ? operation : "other";
};

/** Name, help and labels of each counter. */
const counters = {
  requests: ["afterword_requests_total", "Requests answered, by operation and status", "operation", "status"],
  stored: ["afterword_records_stored_total", "Ratings and dismissals stored", "kind"],
  refusedTokens: ["afterword_tokens_refused_total", "Show-tokens refused, by problem code", "code"],
  shed: ["afterword_requests_shed_total", "Requests refused by load shedding, by reason", "reason"],
  failures: ["afterword_failures_total", "Server errors, by where they happened", "where"],
} as const;

export interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** A value, or one for each set of labels; absent, the gauge has none. */
type Reading = number | undefined | readonly Sample[];

let ofProcess: Registry | undefined;

/** The library's own metrics of the process. Their collection cannot be ended, so all servers of a process share it. */
function processMetrics(): Registry {
  if (!ofProcess) collectDefaultMetrics({ register: (ofProcess = new Registry()) });
  return ofProcess!;
}

export class Metrics implements ServerEvents {
  readonly registry = new Registry();
  readonly #counters = Object.fromEntries(
    Object.entries(counters).map(([key, [name, help, ...labelNames]]) => {
      return [key, new Counter({ name, help, labelNames, registers: [this.registry] })];
    }),
  ) as Record<keyof typeof counters, Counter>;
  readonly #durations = new Histogram({
    name: "afterword_request_duration_seconds",
    help: "Time until the reply began, by operation",
    labelNames: ["operation"],
    buckets,
    registers: [this.registry],
  });

  emit(event: ServerEvent): void {
    const { requests, stored, refusedTokens, shed, failures } = this.#counters;
    if (event.kind === "failure") failures.inc({ where: "request" });
    if (event.kind === "background-failure") failures.inc({ where: event.task });
    if (event.kind !== "request") return;
    const operation = operationOf(event.method, event.route);
    requests.inc({ operation, status: event.status });
    this.#durations.observe({ operation }, event.durationInMs / 1000);
    if (event.stored) stored.inc({ kind: event.stored });
    if (event.shed) shed.inc({ reason: event.shed });
    if (event.code?.startsWith("token_")) refusedTokens.inc({ code: event.code });
  }

  /** Adds a gauge whose value or values are read at each scrape. It has none while reading fails. */
  gauge(name: string, help: string, labelNames: string[], read: () => Reading | Promise<Reading>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const values = await Promise.resolve()
          .then(read)
          .catch(() => undefined);
        gauge.reset();
        // Without labels a reset gauge is 0, which is a value.
        if (labelNames.length === 0) gauge.remove();
        if (typeof values === "number") gauge.set(values);
        else for (const { labels, value } of values ?? []) gauge.set(labels, value);
      },
    });
  }

  text(): Promise<string> {
    return Registry.merge([this.registry, processMetrics()]).metrics();
  }
}
