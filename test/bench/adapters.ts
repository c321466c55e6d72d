import { existsSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// What the entry points for agent frameworks add to a run, beside the same run without them, in turns.

type Chunks = AsyncIterable<unknown>;

/** As test/frameworks/measured-runs.ts has them, whose packages are not installed here. */
interface MeasuredRun {
  name: string;
  bare(chunks: number): Promise<Chunks>;
  watched(chunks: number): Promise<{ result: Chunks; feedback: Promise<unknown> }>;
}

export interface AdapterFigures {
  name: string;
  bareInMicroseconds: number;
  perRunInMicroseconds: number;
  perThousandChunksInMicroseconds: number;
  bytesPerRun: number;
}

const frameworks = new URL("../frameworks/", import.meta.url);
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 20);
const runsPerRound = 10;
const [few, many] = [10, 1010];

async function read(chunks: Chunks): Promise<void> {
  for await (const chunk of chunks) void chunk;
}

/** In microseconds. */
async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return (performance.now() - start) * 1000;
}

/** The fastest of many single runs in turns: on a busy machine at least those few were not interrupted. */
async function fastest(measured: MeasuredRun, chunks: number): Promise<{ bare: number; watched: number }> {
  let [bare, watched] = [Infinity, Infinity];
  for (let left = rounds * runsPerRound; left > 0; left -= 1) {
    bare = Math.min(bare, await timed(async () => read(await measured.bare(chunks))));
    const readWatched = async () => {
      const { result, feedback } = await measured.watched(chunks);
      await read(result);
      await feedback;
    };
    watched = Math.min(watched, await timed(readWatched));
  }
  return { bare, watched };
}

/** Bytes that a run of 1,010 chunks holds when all have been read. */
async function heldBytes(start: () => Promise<{ run: unknown; chunks: Chunks }>): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let left = 5; left > 0; left -= 1) await start().then(({ chunks }) => read(chunks));
  collect();
  const before = process.memoryUsage().heapUsed;
  const held: unknown[] = [];
  for (let left = 100; left > 0; left -= 1) {
    const { run, chunks } = await start();
    await read(chunks);
    held.push(run);
  }
  collect();
  return (process.memoryUsage().heapUsed - before) / held.length;
}

async function benchAdapter(measured: MeasuredRun): Promise<AdapterFigures> {
  const short = await fastest(measured, few);
  const long = await fastest(measured, many);
  const perRun = short.watched - short.bare;
  const bare = await heldBytes(async () => {
    const run = await measured.bare(many);
    return { run, chunks: run };
  });
  const watched = await heldBytes(async () => {
    const run = await measured.watched(many);
    return { run, chunks: run.result };
  });
  return {
    name: measured.name,
    bareInMicroseconds: short.bare,
    perRunInMicroseconds: perRun,
    perThousandChunksInMicroseconds: long.watched - long.bare - perRun,
    bytesPerRun: watched - bare,
  };
}

/** `undefined` where the frameworks are not installed. */
export async function benchAdapters(): Promise<AdapterFigures[] | undefined> {
  if (!existsSync(new URL("node_modules", frameworks))) return undefined;
  const { measuredRuns } = (await import(new URL("measured-runs.ts", frameworks).href)) as {
    measuredRuns: MeasuredRun[];
  };
  const figures: AdapterFigures[] = [];
  for (const measured of measuredRuns) figures.push(await benchAdapter(measured));
  return figures;
}

export function adaptersTable(figures: AdapterFigures[] | undefined): string {
  if (!figures)
    return "SKIPPED: the entry points for agent frameworks, since .ci/jobs/frameworks.sh has not installed those.";
  const rows = figures.map((one) => {
    const times = [one.bareInMicroseconds, one.perRunInMicroseconds, one.perThousandChunksInMicroseconds];
    return `| ${one.name} | ${times.map((time) => `${time.toFixed(0)} µs`).join(" | ")} | ${one.bytesPerRun.toFixed(0)} |`;
  });
  const head =
    "| entry point | run of 10 chunks | more per run | more per 1,000 chunks | more bytes held by a read run of 1,010 chunks |";
  return [head, "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}
