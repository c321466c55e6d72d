import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { Afterword } from "@afterword/node";
import { benchSecretKey } from "./bench-config.ts";
import { startBuiltServer } from "./child-server.ts";
import { fill } from "./forwarder-fill.ts";
import { measureMemory } from "./forwarder-memory.ts";
import { fastest, forwardAll, oneAtATime, sinkOf, timed, type Rate } from "./forwarder-rivals.ts";
import { type MemoryRun } from "./resident-memory.ts";

// The forwarder beside the loop that one would write first, and its memory.

const instantRows = Number(process.env["BENCH_SCORES"] ?? 20_000);
const instantRounds = Number(process.env["BENCH_ROUNDS"] ?? 8);
const slowRows = Math.min(3200, instantRows);
const slowRivalRows = Math.min(200, instantRows);
const memoryRows = Number(process.env["BENCH_MEMORY_SCORES"] ?? 1_000_000);
const concurrency = 16;
const sinkDelayInMs = 50;

/** A queue that is filled once. Each run drains a copy of it. */
interface Filled {
  folder: string;
  config: string;
  database: string;
}

type Print = (line: string) => void;

export interface Rates {
  slow: Record<"forwarder" | "page", Rate>;
  instant: Record<"forwarder" | "page" | "each", Rate>;
  memory: { rows: number; runs: [name: string, run: MemoryRun][] };
}

const perSecond = (rate: Rate) => `${rate.perSecond.toFixed(0)}/s`;

async function onCopy(
  { folder, config, database: filled }: Filled,
  name: string,
  run: (client: Afterword) => Promise<Rate>,
): Promise<Rate> {
  const database = join(folder, `${name}.db`);
  for (const suffix of ["", "-wal", ".key"]) {
    if (existsSync(filled + suffix)) copyFileSync(filled + suffix, database + suffix);
  }
  const server = await startBuiltServer(config, database);
  try {
    return await run(new Afterword({ secretKey: benchSecretKey, baseUrl: server.ready.url }));
  } finally {
    await server.stop();
  }
}

async function measureSlow(filled: Filled, print: Print): Promise<Rates["slow"]> {
  const slow = await onCopy(filled, "slow", (client) =>
    timed(slowRows, () => forwardAll(atMost(client, slowRows), sinkOf(sinkDelayInMs), concurrency)),
  );
  const slowRival = await onCopy(filled, "slow-rival", (client) =>
    timed(slowRivalRows, () =>
      oneAtATime(client, sinkOf(sinkDelayInMs), { most: slowRivalRows, acks: "page" }),
    ),
  );
  const theoretical = (concurrency * 1000) / sinkDelayInMs;
  print(
    `50 ms sink, concurrency 16: ${(slow.perSecond / theoretical).toFixed(3)} of ${theoretical}/s (${perSecond(slow)})`,
  );
  print(
    `50 ms sink against one at a time: ${(slow.perSecond / slowRival.perSecond).toFixed(1)}x (${perSecond(slowRival)})`,
  );
  return { forwarder: slow, page: slowRival };
}

/** In turns, on copies of one queue; the first round only lets both sides be compiled. */
async function measureInstant(filled: Filled, print: Print): Promise<Rates["instant"]> {
  const forwarder: Rate[] = [];
  const rival: Rate[] = [];
  for (let round = 0; round <= instantRounds; round += 1) {
    forwarder[round] = await onCopy(filled, `instant-${round}`, (client) =>
      timed(instantRows, () => forwardAll(client, sinkOf(0), concurrency)),
    );
    rival[round] = await onCopy(filled, `instant-page-${round}`, (client) =>
      timed(instantRows, () => oneAtATime(client, sinkOf(0), { most: instantRows, acks: "page" })),
    );
  }
  const instant = fastest(forwarder.slice(1));
  const page = fastest(rival.slice(1));
  const cpu = (rate: Rate) => `${rate.cpuPerScore.toFixed(1)} µs of processor time per score`;
  print(`instant sink, concurrency ${concurrency}: ${perSecond(instant)}, ${cpu(instant)}`);
  const most = instantRows / 10;
  const each = await onCopy(filled, "instant-each", (client) =>
    timed(most, () => oneAtATime(client, sinkOf(0), { most, acks: "each" })),
  );
  const against = (rate: Rate) =>
    `${(instant.perSecond / rate.perSecond).toFixed(2)}x (${perSecond(rate)}, ${cpu(rate)})`;
  print(`instant sink against one at a time, acknowledging each: ${against(each)}`);
  print(`instant sink against one at a time, acknowledging page: ${against(page)}`);
  const ratios = forwarder.slice(1).map((rate, round) => rate.perSecond / rival[round + 1]!.perSecond);
  print(`  round by round: ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}`);
  return { forwarder: instant, page, each };
}

/** The head of a queue. */
function atMost(client: Afterword, most: number) {
  let given = 0;
  return {
    ack: client.ack.bind(client),
    pendingScores(options: Parameters<Afterword["pendingScores"]>[0]) {
      const rows = client.pendingScores(options);
      return {
        ...rows,
        async *pages() {
          for await (const page of rows.pages()) {
            const scores = page.scores.slice(0, most - given);
            given += scores.length;
            const isLast = given >= most;
            yield isLast ? { scores } : { ...page, scores };
            if (isLast) return;
          }
        },
      };
    },
  };
}

export async function benchForwarder(config: string, folder: string, print: Print): Promise<Rates> {
  const filled = { folder, config, database: join(folder, "filled.db") };
  const server = await startBuiltServer(config, filled.database);
  try {
    const filling = await timed(instantRows, () => fill(server.ready, instantRows));
    print(`filled with ${instantRows} linked ratings at ${perSecond(filling)}`);
  } finally {
    await server.stop();
  }
  return {
    slow: await measureSlow(filled, print),
    instant: await measureInstant(filled, print),
    memory: { rows: memoryRows, runs: await measureMemory(memoryRows, print) },
  };
}
