import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, describe, expect, it } from "vitest";
import { ConfigurationError, runReference } from "../index.ts";
import { readRunReference } from "./run-reference.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

describe("a reference to a run", () => {
  it("is the trace's id, or the trace's and the span's, in lowercase", () => {
    expect(runReference({ traceId })).toBe(traceId);
    expect(runReference({ traceId: traceId.toUpperCase(), spanId })).toBe(`${traceId}-${spanId}`);
  });

  it.each([
    ["traceId", { traceId: "tr-1" }],
    ["traceId", { traceId: traceId.slice(1) }],
    ["traceId", { traceId: "0".repeat(32) }],
    ["traceId", { traceId: undefined as unknown as string, spanId }],
    ["spanId", { traceId, spanId: "" }],
    ["spanId", { traceId, spanId: `${spanId}0` }],
    ["spanId", { traceId, spanId: "0".repeat(16) }],
    ["spanId", { traceId, spanId: null as unknown as string }],
  ])("names the field that is wrong: %s of %j", (field, run) => {
    expect(() => runReference(run)).toThrow(ConfigurationError);
    expect(() => runReference(run)).toThrow(new RegExp(`^runReference: ${field} must be \\d+ hexadecimal`));
  });

  it.each([
    [traceId, { traceId }],
    [`${traceId}-${spanId}`, { traceId, spanId }],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, { traceId, spanId }],
  ])("is read from %s", (observationId, run) => {
    expect(readRunReference(observationId)).toEqual(run);
  });

  it.each([
    null,
    "",
    "turn-7",
    spanId,
    `tr-${traceId}`,
    `${traceId}-1`,
    `${traceId}-${spanId}-7`,
    `x${traceId}`,
  ])("is not read from an id of another kind: %s", (observationId) =>
    expect(readRunReference(observationId)).toBeUndefined(),
  );
});

/** As the SDK's own context manager on Node. */
class TestContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = () => this.#storage.getStore() ?? ROOT_CONTEXT;
  with = <A extends unknown[], F extends (...given: A) => ReturnType<F>>(
    active: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...given: A
  ) => this.#storage.run(active, () => work.apply(self, given));
  bind = <T>(_: Context, target: T) => target;
  enable = () => this;
  disable = () => this;
}

describe("the current run", () => {
  afterEach(() => context.disable());

  const within = async (run: { traceId: string; spanId: string }, traceFlags: number) =>
    await context.with(
      trace.setSpan(context.active(), trace.wrapSpanContext({ ...run, traceFlags })),
      async () => {
        await Promise.resolve();
        return runReference.current();
      },
    );

  it.each([0, 1])(
    "is that of OpenTelemetry's active span, whatever its sampling says (%i)",
    async (flags) => {
      context.setGlobalContextManager(new TestContexts());
      expect(await within({ traceId, spanId }, flags)).toBe(`${traceId}-${spanId}`);
      expect(runReference.current()).toBeUndefined();
    },
  );

  it("is none in a span that is not traced", async () => {
    context.setGlobalContextManager(new TestContexts());
    expect(await within({ traceId: "0".repeat(32), spanId: "0".repeat(16) }, 0)).toBeUndefined();
  });

  it("is none without OpenTelemetry, and where it has no context manager", async () => {
    expect(await within({ traceId, spanId }, 1)).toBeUndefined();
    Reflect.deleteProperty(globalThis, Symbol.for("opentelemetry.js.api.1"));
    expect(runReference.current()).toBeUndefined();
  });
});
