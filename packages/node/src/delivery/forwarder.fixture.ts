import { ApiError } from "../errors/api-error.ts";
import {
  type Clock,
  type DeliverableScore,
  type ForwarderOptions,
  type Outcome,
  type Sink,
} from "../forwarder.ts";
import { TestClock } from "../options/clock.fixture.ts";
import { DeliveryLoop } from "./delivery-loop.ts";
import type { ForwarderEnvironment, ScoreQueue } from "./forwarder-options.ts";

type Answer = Outcome | ((score: DeliverableScore, attempt: number) => Outcome | Promise<Outcome>);

export const delivered: Outcome = { outcome: "delivered" };

/** A sink that answers as it is told and remembers every push. */
export class TestSink implements Sink {
  readonly name = "test";
  readonly batchSize: number;
  readonly pushed: string[] = [];
  running = 0;
  mostAtOnce = 0;
  isClosed = false;
  answer: Answer;

  constructor(answer: Answer = delivered, batchSize = 1) {
    this.answer = answer;
    this.batchSize = batchSize;
  }

  async deliver(scores: readonly DeliverableScore[]): Promise<Outcome[]> {
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    const outcomes: Outcome[] = [];
    for (const score of scores) {
      this.pushed.push(score.id);
      const attempt = this.timesPushed(score.id);
      outcomes.push(typeof this.answer === "function" ? await this.answer(score, attempt) : this.answer);
    }
    this.running -= 1;
    return outcomes;
  }

  timesPushed(id: string): number {
    return this.pushed.filter((one) => one === id).length;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** Takes this long for each score. */
export const after = (clock: Clock, delayInMs: number) => async (): Promise<Outcome> => {
  await clock.sleep(delayInMs);
  return delivered;
};

/** The service does not take what it is asked. */
export const refused = (status: number) =>
  new ApiError({ method: "GET", path: "/v1/sdk/pending-scores", status });

export type Given = Partial<ForwarderOptions & ForwarderEnvironment> & { clock?: TestClock };

/** A forwarder whose time is in the test's hands. */
export function aForwarder(queue: ScoreQueue, sink: Sink, options: Given = {}) {
  const { clock = new TestClock() } = options;
  const given = { client: queue, sink, random: () => 1, consumer: crypto.randomUUID(), ...options };
  return { clock, forwarder: new DeliveryLoop({ ...given, clock }) };
}

/** The same, at work; `finish` stops it and waits for its end. */
export function aRunningForwarder(queue: ScoreQueue, sink: Sink, options: Given = {}) {
  const { clock, forwarder } = aForwarder(queue, sink, options);
  const running = forwarder.start();
  const finish = async () => {
    await clock.until(forwarder.stop());
    await running;
  };
  return { clock, forwarder, finish };
}
