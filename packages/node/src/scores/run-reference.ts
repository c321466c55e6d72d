import { ConfigurationError } from "../errors/configuration-error.ts";

/** One run of an agent, as OpenTelemetry names it. */
export interface TracedRun {
  /** 32 hexadecimal digits, not all zero. */
  traceId: string;
  /** 16 hexadecimal digits, not all zero: the step of the run that is rated. Default: the whole run. */
  spanId?: string;
}

export interface RunReference {
  /**
   * Makes an observation id that every sink understands: `<traceId>`, or `<traceId>-<spanId>`, in small letters. Throws a
   * `ConfigurationError` that names the field which is no such id.
   */
  (run: TracedRun): string;
  /**
   * The reference of the span that is active in OpenTelemetry, sampled or not. `undefined` without `@opentelemetry/api`,
   * without a registered context manager, and outside of spans.
   */
  current(): string | undefined;
}

/** Makes `runReference`. The API of OpenTelemetry registers itself on this scope. */
export function runReferenceIn(scope: object): RunReference {
  const current = () => {
    const run = activeRun(scope as RegistryScope);
    return isId(run?.traceId, 32) && isId(run.spanId, 16) ? runReference(run) : undefined;
  };
  return Object.assign(runReference, { current });
}

/**
 * The run that an observation id refers to: an id made by `runReference`, or a W3C `traceparent`. `undefined` for every
 * other id, which belongs to one service.
 */
export function readRunReference(observationId: string | null): TracedRun | undefined {
  const form = /^(?:00-)?([0-9a-f]{32})(?:-([0-9a-f]{16})(?:-[0-9a-f]{2})?)?$/i;
  const [, traceId, spanId] = form.exec(observationId ?? "") ?? [];
  if (traceId === undefined) return undefined;
  return { traceId: traceId.toLowerCase(), ...(spanId && { spanId: spanId.toLowerCase() }) };
}

function runReference({ traceId, spanId }: TracedRun): string {
  if (!isId(traceId, 32)) throw new ConfigurationError(`runReference: traceId ${mustBe(32)}`);
  if (spanId === undefined) return traceId.toLowerCase();
  if (!isId(spanId, 16)) throw new ConfigurationError(`runReference: spanId ${mustBe(16)}`);
  return `${traceId}-${spanId}`.toLowerCase();
}

const mustBe = (digits: number) => `must be ${digits} hexadecimal digits, not all of them zero.`;

const isId = (id: unknown, digits: number): id is string =>
  typeof id === "string" && id.length === digits && /^[0-9a-f]*[1-9a-f][0-9a-f]*$/i.test(id);

/** What `@opentelemetry/api` 1.x registers for all its copies, and the part of it that is read here. */
interface RegistryScope {
  [registry]?: {
    context?: { active(): { getValue(key: symbol): { spanContext(): TracedRun } | undefined } };
  };
}

const registry = Symbol.for("opentelemetry.js.api.1");
const activeSpan = Symbol.for("OpenTelemetry Context Key SPAN");

/**
 * Reads the registry and not the package: an import would be asynchronous, would copy the package into every bundle that
 * finds it, and would fail to resolve in the others.
 */
const activeRun = (scope: RegistryScope): TracedRun | undefined =>
  scope[registry]?.context?.active().getValue(activeSpan)?.spanContext();
