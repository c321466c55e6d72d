import { metrics, trace, type Span } from "@opentelemetry/api";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createForwarder, type DeliverableScore, type Outcome } from "../forwarder.ts";
import { TestClock } from "./clock.fixture.ts";
import { aRow, TestQueue } from "./score-queue.fixture.ts";

afterEach(() => {
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
  const meter = { createCounter: instrument, createHistogram: instrument, createGauge: instrument };
  metrics.setGlobalMeterProvider({ getMeter: () => meter as never });
  const tracer = {
    startActiveSpan(name: string, _options: object, work: (span: Span) => unknown) {
      const seen = { name, attributes: {}, status: undefined as object | undefined, hasEnded: false };
      spans.push(seen);
      const span = {
        isRecording: () => true,
        setAttributes: (attributes: object) => Object.assign(seen.attributes, attributes),
        setStatus: (status: object) => (seen.status = status),
        end: () => (seen.hasEnded = true),
      };
      return work(span as never);
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as never });
  return { measured, spans };
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
    const { measured, spans } = listen();
    const clock = new TestClock();
    const sink = aSink(
      ({ id }) => (id === "row-2" ? { outcome: "permanent", reason: "no" } : { outcome: "delivered" }),
      clock,
    );
    const queue = new TestQueue([aRow(1, { text: "private words" }), aRow(2)]);
    await clock.until(createForwarder({ client: queue, sink, clock, text: "include" }).runOnce());
    const attributes = { "afterword.sink": "test" };
    expect(measured).toEqual([
      ["afterword.lag", 60, attributes],
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

  it("nothing when it gives a telemetry of its own", async () => {
    const { measured } = listen();
    const outcome = vi.fn<() => void>();
    const clock = new TestClock();
    const forwarder = createForwarder({
      client: new TestQueue(1),
      sink: aSink(() => ({ outcome: "delivered" }), clock),
      clock,
      telemetry: { deliver: (_sink, _scores, call) => call(), outcome, lag: () => undefined },
    });
    await clock.until(forwarder.runOnce());
    expect(outcome).toHaveBeenCalledExactlyOnceWith("test", "delivered");
    expect(measured).toEqual([]);
  });
});
