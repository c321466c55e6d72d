import { createForwarder, langfuse, type ScoreQueue } from "@afterword/node/forwarder";
import { LangfuseClient } from "@langfuse/client";
import { startLangfuse } from "./child-server.ts";
import { timed } from "./forwarder-rivals.ts";

// The forwarder against the official Langfuse client, on one stub that acknowledges each score. Confirmed is a score whose
// caller was told so; lost is one that the caller thinks is on its way and the stub never got.

const scores = Number(process.env["BENCH_SCORES"] ?? 5000);
const concurrency = 16;
const keys = { publicKey: "pk-bench", secretKey: "sk-bench" };

/** Scores per second, and how many of all were lost when one reply in ten was a 207 with an error inside. */
export interface ConfirmedScores {
  scores: number;
  ours: number;
  calls: number;
  lost: [ours: number, calls: number, queue: number];
}

const row = (number: number) => ({
  id: `019aa000-0000-7000-8000-${String(number).padStart(12, "0")}`,
  surveyId: "csat",
  at: "2026-11-21T08:00:00.000Z",
  sessionId: `session-${number}`,
  rating: 1 + (number % 5),
});

/** A queue in memory: what is measured is the way to Langfuse. As at the service, a cursor is the last row of a page. */
function memoryQueue(): ScoreQueue & { left(): number } {
  const pending = new Map(Array.from({ length: scores }, (_, number) => [row(number).id, row(number)]));
  async function* pages(after: string) {
    const rows = [...pending.values()].filter(({ id }) => id > after);
    for (let from = 0; from < rows.length; from += 100) {
      const page = rows.slice(from, from + 100);
      yield { scores: page, nextCursor: from + 100 < rows.length ? page.at(-1)!.id : undefined };
    }
  }
  return {
    left: () => pending.size,
    pendingScores: ({ cursor = "" } = {}) => ({
      pages: () => pages(cursor),
      async *[Symbol.asyncIterator]() {
        for await (const page of pages(cursor)) yield* page.scores;
      },
    }),
    async ack(results) {
      for (const { id } of results) pending.delete(id);
      return { updated: results.length } as Awaited<ReturnType<ScoreQueue["ack"]>>;
    },
  };
}

/** Drains the queue, over and over as a forwarder that runs does, until nothing is left. */
async function forward(baseUrl: string) {
  const queue = memoryQueue();
  await using forwarder = createForwarder({
    client: queue,
    sink: langfuse({ ...keys, baseUrl }),
    concurrency,
  });
  while (queue.left() > 0) await forwarder.runOnce();
}

/** The one call of the official client that tells its caller what became of a score, as many at once. */
async function officialCalls(baseUrl: string) {
  const client = new LangfuseClient({ ...keys, baseUrl });
  let [next, confirmed] = [0, 0];
  const work = async () => {
    while (next < scores) {
      const { id, sessionId, rating } = row(next++);
      await client.api.scores
        .create({ id, sessionId, name: "rating", value: rating, dataType: "NUMERIC" })
        .then(() => (confirmed += 1))
        .catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return confirmed;
}

/** The official client's queue, which its documents tell to use: created, then flushed. */
async function officialQueue(baseUrl: string) {
  const client = new LangfuseClient({ ...keys, baseUrl });
  for (let number = 0; number < scores; number += 1) {
    const { id, sessionId, rating } = row(number);
    client.score.create({ id, sessionId, name: "rating", value: rating, dataType: "NUMERIC" });
  }
  await client.score.flush();
  await client.shutdown();
}

async function lostBy(fault: string, run: (baseUrl: string) => Promise<unknown>): Promise<number> {
  const stub = await startLangfuse(fault);
  try {
    await run(stub.ready.url);
    const { ids } = (await (await fetch(`${stub.ready.url}/stored`)).json()) as { ids: number };
    return scores - ids;
  } finally {
    await stub.stop();
  }
}

async function measureRates(print: (line: string) => void) {
  const stub = await startLangfuse("none");
  const rates = { ours: 0, calls: 0, queue: 0 };
  const { url } = stub.ready;
  // Twice, and the second counts: the first warms up both.
  for (let round = 0; round < 2; round += 1) {
    rates.ours = (await timed(scores, () => forward(url))).perSecond;
    rates.calls = (await timed(scores, () => officialCalls(url))).perSecond;
    rates.queue = (await timed(scores, () => officialQueue(url))).perSecond;
  }
  await stub.stop();
  const { ours, calls, queue } = rates;
  print(
    `confirmed scores: ${(ours / calls).toFixed(2)}x the official client's call (${ours.toFixed(0)}/s against ${calls.toFixed(0)}/s)`,
  );
  print(`the official client's queue accepts ${queue.toFixed(0)}/s and confirms none of them`);
  return { ours, calls };
}

async function measureLosses(print: (line: string) => void): Promise<ConfirmedScores["lost"]> {
  let lost: ConfirmedScores["lost"] = [0, 0, 0];
  for (const fault of ["500", "429", "207"]) {
    const [own, call, queue] = (lost = [
      await lostBy(fault, forward),
      await lostBy(fault, officialCalls),
      await lostBy(fault, officialQueue),
    ]);
    print(
      `${fault} to one in ten: lost ${own} of ${scores}; the official call ${call}, the official queue ${queue}`,
    );
  }
  return lost;
}

export async function benchLangfuse(print: (line: string) => void): Promise<ConfirmedScores> {
  // The official client prints each score that it gives up, which is what is counted here.
  const { error } = console;
  console.error = () => undefined;
  try {
    return { scores, ...(await measureRates(print)), lost: await measureLosses(print) };
  } finally {
    console.error = error;
  }
}
