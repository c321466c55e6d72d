import {
  createForwarder,
  defineSink,
  type Outcome,
  type ScoreQueue,
  type Sink,
} from "@afterword/node/forwarder";
import { type PendingScore } from "@afterword/node";

export interface Rate {
  scores: number;
  seconds: number;
  perSecond: number;
}

export async function timed(scores: number, work: () => Promise<unknown>): Promise<Rate> {
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  return { scores, seconds, perSecond: scores / seconds };
}

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

/** The loop that one would write first: poll a page, push its rows one after the other, acknowledge the page. */
export async function oneAtATime(client: ScoreQueue, sink: Sink, most: number): Promise<void> {
  const { signal } = new AbortController();
  let pushed = 0;
  while (pushed < most) {
    const pages = client.pendingScores({ limit: 100 }).pages()[Symbol.asyncIterator]();
    const { value } = await pages.next();
    const scores: PendingScore[] = value?.scores ?? [];
    if (scores.length === 0) return;
    for (const score of scores.slice(0, most - pushed)) {
      const { id, surveyId, at } = score;
      const empty = { text: null, taskType: null, surveyType: null, normalised: null, label: null };
      const session = {
        sessionId: score.sessionId ?? null,
        observationId: null,
        rating: score.rating ?? null,
      };
      await sink.deliver([{ id, surveyId, at, ...session, ...empty, name: "afterword.rating" }], { signal });
    }
    const results = scores.slice(0, most - pushed).map(({ id }) => ({ id, state: "delivered" as const }));
    await client.ack(results);
    pushed += results.length;
  }
}
