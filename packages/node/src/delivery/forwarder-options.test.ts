import { describe, expect, it } from "vitest";
import type { Sink } from "../forwarder.ts";
import { aForwarder, TestSink } from "./forwarder.fixture.ts";
import { TestQueue } from "./score-queue.fixture.ts";

describe("options that cannot work are refused when the forwarder is made", () => {
  it.each([
    [{ concurrency: 0 }, "concurrency is 0; it must be a whole number from 1 to 1000."],
    [{ concurrency: Number.NaN }, "concurrency is NaN"],
    [{ pollIntervalInMs: -1 }, "pollIntervalInMs is -1; it must be a whole number from 1."],
    [{ ackIntervalInMs: 10_001 }, "ackIntervalInMs is 10001; it must be a whole number from 0 to 10000."],
    [{ sinkTimeoutInMs: 0.5 }, "sinkTimeoutInMs is 0.5"],
    [{ drainTimeoutInMs: -5 }, "drainTimeoutInMs is -5"],
  ])("%o", (options, message) => {
    expect(() => aForwarder(new TestQueue(0), new TestSink(), options)).toThrow(message);
  });

  it("a sink without a name or a function", () => {
    expect(() => aForwarder(new TestQueue(0), { name: "" } as Sink)).toThrow("A sink needs a name.");
    expect(() => aForwarder(new TestQueue(0), { name: "x" } as Sink)).toThrow("needs a function deliver");
  });
});
