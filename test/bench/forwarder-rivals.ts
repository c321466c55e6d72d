import {
  createForwarder,
  defineSink,
  type DeliverableScore,
  type Outcome,
  type ScoreQueue,
  type Sink,
} from "@afterword/node/forwarder";
import type { PendingScore } from "@afterword/node";

export interface Rate {
  scores: number;
  seconds: number;
  perSecond: number;
  /** Processor time of this process for each score, in microseconds; other programs change it little. */
  cpuPerScore: number;
}

export async function timed(scores: number, work: () => Promise<unknown>): Promise<Rate> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { scores, seconds, perSecond: scores / seconds, cpuPerScore: (user + system) / scores };
}

/** Of many short rounds the fastest counts: other programs only ever make one slower. */
export const fastest = (rates: Rate[]) =>
  rates.toSorted((left, right) => right.perSecond - left.perSecond)[0]!;

const wait = (delayInMs: number) => new Promise((resolve) => setTimeout(resolve, delayInMs));

/** A sink that takes each score after so many milliseconds, 0 for at once. */
export function sinkOf(delayInMs: number): Sink {
  return defineSink({
    name: "bench",
    async deliver(scores): Promise<Outcome[]> {
      if (delayInMs > 0) await wait(delayInMs);
      return scores.map(() => ({ outcome: "delivered" }));
    },
  });
}

/** The forwarder, draining what is there. */
export async function forwardAll(client: ScoreQueue, sink: Sink, concurrency: number): Promise<void> {
  await using forwarder = createForwarder({ client, sink, concurrency });
  await forwarder.runOnce();
}

export interface OneAtATime {
  most: number;
  /** Acknowledge each row by itself, or all rows of a page together. */
  acks: "each" | "page";
}

/** The loop that one would write first: poll a page, push its rows one after the other, acknowledge. */
export async function oneAtATime(client: ScoreQueue, sink: Sink, { most, acks }: OneAtATime): Promise<void> {
  const { signal } = new AbortController();
  let pushed = 0;
  while (pushed < most) {
    const page = await client.pendingScores({ limit: 100 }).pages()[Symbol.asyncIterator]().next();
    const scores: PendingScore[] = (page.value?.scores ?? []).slice(0, most - pushed);
    if (scores.length === 0) return;
    for (const score of scores) {
      await sink.deliver([deliverable(score)], { signal });
      if (acks === "each") await client.ack([{ id: score.id, state: "delivered" }]);
    }
    if (acks === "page") await client.ack(scores.map(({ id }) => ({ id, state: "delivered" })));
    pushed += scores.length;
  }
}

function deliverable({ id, surveyId, at, sessionId = null, rating = null }: PendingScore): DeliverableScore {
  const none = {
    observationId: null,
    text: null,
    taskType: null,
    surveyType: null,
    normalised: null,
    label: null,
    run: null,
  };
  return { id, surveyId, at, sessionId, rating, ...none, name: "afterword.srv_csat" };
}
