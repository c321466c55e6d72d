import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Afterword } from "@afterword/node";
import { benchSecretKey, writeBenchConfig } from "./bench-config.ts";
import { startBuiltServer, startQueue, type ChildServer } from "./child-server.ts";
import { fill } from "./forwarder-fill.ts";
import { forwardAll, oneAtATime, sinkOf, timed, type Rate } from "./forwarder-rivals.ts";

// Run after a build: `node test/bench/forwarder.ts`. Ratios of one run; the rates are of this machine.

const instantRows = Number(process.env["BENCH_SCORES"] ?? 20_000);
const slowRows = 3200;
const slowRivalRows = 200;
const memoryRows = Number(process.env["BENCH_MEMORY_SCORES"] ?? 1_000_000);
const concurrency = 16;
const sinkDelayInMs = 50;

const folder = mkdtempSync(join(tmpdir(), "afterword-bench-"));
const config = join(folder, "config.json");
const filled = join(folder, "filled.db");
writeBenchConfig(config);

const print = (line: string) => void process.stdout.write(`${line}\n`);
const perSecond = (rate: Rate) => `${rate.perSecond.toFixed(0)}/s`;

/** One filled queue for all: each run drains a copy of it. */
async function onCopy(
  name: string,
  secretKey: string,
  run: (client: Afterword) => Promise<Rate>,
): Promise<Rate> {
  const database = join(folder, `${name}.db`);
  for (const suffix of ["", "-wal", ".key"]) {
    if (existsSync(filled + suffix)) copyFileSync(filled + suffix, database + suffix);
  }
  const server = await startBuiltServer(config, database);
  try {
    return await run(new Afterword({ secretKey, baseUrl: server.ready.url }));
  } finally {
    await server.stop();
  }
}

async function measure(secretKey: string): Promise<void> {
  const slow = await onCopy("slow", secretKey, (client) =>
    timed(slowRows, () => forwardAll(atMost(client, slowRows), sinkOf(sinkDelayInMs), concurrency)),
  );
  const slowRival = await onCopy("slow-rival", secretKey, (client) =>
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
  // Code that has run before is compiled: both sides are given the same start.
  await onCopy("warm-up", secretKey, (client) =>
    timed(instantRows, async () => {
      await forwardAll(atMost(client, instantRows / 2), sinkOf(0), concurrency);
      await oneAtATime(client, sinkOf(0), { most: instantRows / 2, acks: "page" });
    }),
  );
  const instant = await onCopy("instant", secretKey, (client) =>
    timed(instantRows, () => forwardAll(client, sinkOf(0), concurrency)),
  );
  print(`instant sink, concurrency ${concurrency}: ${perSecond(instant)}`);
  for (const acks of ["each", "page"] as const) {
    const most = acks === "each" ? instantRows / 10 : instantRows;
    const rival = await onCopy(`instant-${acks}`, secretKey, (client) =>
      timed(most, () => oneAtATime(client, sinkOf(0), { most, acks })),
    );
    const ratio = (instant.perSecond / rival.perSecond).toFixed(2);
    print(`instant sink against one at a time, acknowledging ${acks}: ${ratio}x (${perSecond(rival)})`);
  }
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
            yield { scores };
            if (given >= most) return;
          }
        },
      };
    },
  };
}

async function measureMemory(): Promise<void> {
  const queue: ChildServer = await startQueue(memoryRows);
  try {
    const program = fileURLToPath(new URL("./forwarder-memory.ts", import.meta.url));
    const output = execFileSync(
      process.execPath,
      ["--optimize-for-size", program, queue.ready.url, String(memoryRows)],
      {
        encoding: "utf8",
      },
    );
    const { rows, perSecond, atSettledInMegabytes, grownInMegabytes } = JSON.parse(output) as Record<
      string,
      number
    >;
    print(
      `memory: ${rows} rows at ${perSecond!.toFixed(0)}/s; RSS ${atSettledInMegabytes!.toFixed(0)} MB behind 10,000 rows, ` +
        `then at most ${grownInMegabytes!.toFixed(1)} MB more`,
    );
  } finally {
    await queue.stop();
  }
}

try {
  const server = await startBuiltServer(config, filled);
  try {
    const filling = await timed(instantRows, () => fill(server.ready, instantRows));
    print(`filled with ${instantRows} linked ratings at ${perSecond(filling)}`);
  } finally {
    await server.stop();
  }
  await measure(benchSecretKey);
  await measureMemory();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
