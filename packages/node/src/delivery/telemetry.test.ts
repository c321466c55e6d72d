import * as api from "@opentelemetry/api";
import { afterEach, describe, expect, it } from "vitest";
import { createForwarder, type DeliverableScore, type Outcome } from "../forwarder.ts";
import { TestClock } from "../options/clock.fixture.ts";
import { aPendingScore, TestQueue } from "./score-queue.fixture.ts";

const { context, metrics, trace } = api;

afterEach(() => {
  context.disable();
  trace.disable();
  metrics.disable();
});

/** A meter and a tracer that write down what they are told. */
function listen() {
  const measured: [string, number, unknown][] = [];
  const spans: { name: string; attributes: object; status?: object; hasEnded: boolean }[] = [];
  const instrument = (name: string) => ({
    add: (value: number, attributes: unknown) => void measured.push([name, value, attributes]),
    record: (value: number, attributes: unknown) => void measured.push([name, value, attributes]),
  });
  const observers: ((lag: object) => void)[] = [];
  const gauge = { addCallback: (observe: (lag: object) => void) => void observers.push(observe) };
  const meter = {
    createCounter: instrument,
    createHistogram: instrument,
    createObservableGauge: () => gauge,
  };
  const readLag = () => {
    const observe = (value: number, attributes: unknown) =>
      void measured.push(["afterword.lag", value, attributes]);
    for (const observer of observers) observer({ observe });
  };
  metrics.setGlobalMeterProvider({ getMeter: () => meter as never });
  const tracer = {
    startSpan(name: string) {
      const seen = { name, attributes: {}, status: undefined as object | undefined, hasEnded: false };
      spans.push(seen);
      const span = {
        isRecording: () => true,
        setAttributes: (attributes: object) => Object.assign(seen.attributes, attributes),
        setStatus: (status: object) => (seen.status = status),
        end: () => (seen.hasEnded = true),
      };
      return span;
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as never });
  return { measured, spans, readLag };
}

const aSink = (answer: (score: DeliverableScore) => Outcome, clock: TestClock) => ({
  name: "test",
  async deliver(scores: readonly DeliverableScore[]) {
    await clock.sleep(250);
    return scores.map(answer);
  },
});

describe("a program that has OpenTelemetry sees", () => {
  it("each outcome, how long the sink took, and the lag", async () => {
    const { measured, spans, readLag } = listen();
    const clock = new TestClock();
    const sink = aSink(
      ({ id }) => (id === "score-2" ? { outcome: "permanent", reason: "no" } : { outcome: "delivered" }),
      clock,
    );
    const queue = new TestQueue([aPendingScore(1, { text: "private words" }), aPendingScore(2)]);
    await clock.until(createForwarder({ client: queue, sink, clock, text: "include" }).runOnce());
    readLag();
    const attributes = { "afterword.sink": "test" };
    expect(measured).toEqual([
      ["afterword.delivery.duration", 0.25, attributes],
      ["afterword.scores", 1, { ...attributes, "afterword.outcome": "delivered" }],
      ["afterword.delivery.duration", 0.25, attributes],
      ["afterword.scores", 1, { ...attributes, "afterword.outcome": "permanent" }],
      ["afterword.lag", 0, attributes],
    ]);
    expect(spans).toHaveLength(2);
    expect(spans[0]).toMatchObject({
      name: "afterword.deliver",
      attributes: { "afterword.sink": "test", "afterword.batch.size": 1, "afterword.batch.delivered": 1 },
      status: undefined,
      hasEnded: true,
    });
    expect(spans[1]).toMatchObject({ status: { code: 2 }, hasEnded: true });
    expect(JSON.stringify([measured, spans])).not.toContain("private words");
  });

  it("each span as the active one while the sink is called, so that its requests are traced beneath it", async () => {
    listen();
    let active = api.ROOT_CONTEXT;
    context.setGlobalContextManager({
      active: () => active,
      with(inner: api.Context, work: () => unknown) {
        const outer = active;
        active = inner;
        const result = work();
        active = outer;
        return result;
      },
      disable: () => undefined,
    } as unknown as api.ContextManager);
    const seen: unknown[] = [];
    const sink = {
      name: "test",
      async deliver(): Promise<Outcome[]> {
        seen.push(trace.getSpan(context.active()) !== undefined);
        return [{ outcome: "delivered" }];
      },
    };
    const clock = new TestClock();
    await clock.until(createForwarder({ client: new TestQueue(1), sink, clock }).runOnce());
    expect(seen).toEqual([true]);
    expect(trace.getSpan(context.active())).toBeUndefined();
  });

  it("spans from the moment that it sets a tracer, also behind the start", async () => {
    const clock = new TestClock();
    const queue = new TestQueue(1);
    const sink = aSink(() => ({ outcome: "delivered" }), clock);
    const forwarder = createForwarder({ client: queue, sink, clock });
    await clock.until(forwarder.runOnce());
    const { spans } = listen();
    queue.add(aPendingScore(2));
    await clock.until(forwarder.runOnce());
    expect(spans).toHaveLength(1);
  });
});
