import { ConfigurationError } from "../errors/afterword-error.ts";

/** One run of an agent, as OpenTelemetry names it. */
export interface TracedRun {
  /** 32 hexadecimal digits, not all zero. */
  traceId: string;
  /** 16 hexadecimal digits, not all zero: the rated step of the run. Default: the whole run. */
  spanId?: string;
}

/** Makes observation ids that name the same run at every sink. */
export interface RunReference {
  /**
   * Makes an observation id that every sink understands: `<traceId>`, or `<traceId>-<spanId>`, in lowercase. Throws a
   * `ConfigurationError` that names the invalid field.
   */
  (run: TracedRun): string;
  /**
   * The reference of OpenTelemetry's active span, sampled or not. `undefined` without `@opentelemetry/api`, without a
   * registered context manager, and outside a span.
   */
  current(): string | undefined;
}

/** Makes an observation id that every sink understands, or reads the active span's with `runReference.current()`. */
export const runReference: RunReference = Object.assign(referenceOf, {
  current() {
    const run = activeRun();
    return isId(run?.traceId, 32) && isId(run.spanId, 16) ? referenceOf(run) : undefined;
  },
});

/**
 * Reads the run that an observation id refers to: an id made by `runReference`, or a W3C `traceparent`. Returns
 * `undefined` for any other id.
 */
export function readRunReference(observationId: string | null): TracedRun | undefined {
  const form = /^(?:00-)?([0-9a-f]{32})(?:-([0-9a-f]{16})(?:-[0-9a-f]{2})?)?$/i;
  const [, traceId, spanId] = form.exec(observationId ?? "") ?? [];
  if (traceId === undefined) return undefined;
  return { traceId: traceId.toLowerCase(), ...(spanId && { spanId: spanId.toLowerCase() }) };
}

function referenceOf({ traceId, spanId }: TracedRun): string {
  if (!isId(traceId, 32)) throw new ConfigurationError(`runReference: traceId ${mustBe(32)}`);
  if (spanId === undefined) return traceId.toLowerCase();
  if (!isId(spanId, 16)) throw new ConfigurationError(`runReference: spanId ${mustBe(16)}`);
  return `${traceId}-${spanId}`.toLowerCase();
}

const mustBe = (digits: number) => `must be ${digits} hexadecimal digits, not all of them zero.`;

const isId = (id: unknown, digits: number): id is string =>
  typeof id === "string" && id.length === digits && /^[0-9a-f]*[1-9a-f][0-9a-f]*$/i.test(id);

/** The registry that all copies of `@opentelemetry/api` 1.x share, on the global object; only what is read here. */
interface Registry {
  context?: { active(): { getValue(key: symbol): { spanContext(): TracedRun } | undefined } };
}

const registry = Symbol.for("opentelemetry.js.api.1");
const activeSpan = Symbol.for("OpenTelemetry Context Key SPAN");

/** Reads the registry: importing the package is asynchronous, and bundlers copy it or fail to find it. */
const activeRun = (): TracedRun | undefined =>
  (globalThis as { [registry]?: Registry })[registry]?.context?.active().getValue(activeSpan)?.spanContext();
