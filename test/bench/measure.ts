import { requestBytes, runLoad, type LoadResult } from "./load.ts";
import { startEcho } from "./child-server.ts";

export const connections = 64;

/** A measured path beside the echo of the same body sizes, in the same run. */
export interface Comparison {
  name: string;
  measured: LoadResult;
  echo: LoadResult;
  /** Rate by the echo's of the same round, the median of all rounds. */
  byRounds: number;
}

/**
 * The run with the highest rate. Other programs on the machine only ever make a run slower, so the fastest of many short
 * ones is what was disturbed least, for what is measured and for what it is compared with alike.
 */
export function bestRun(runs: readonly LoadResult[]): LoadResult {
  const rate = Math.max(...runs.map((run) => run.requestsPerSecond));
  const cpuMicroseconds = Math.min(...runs.map((run) => run.cpuMicroseconds));
  return { ...runs.find((run) => run.requestsPerSecond === rate)!, cpuMicroseconds };
}

/** Beside the one that warms up. */
export const rounds = Number(process.env["BENCH_ROUNDS"] ?? 20);

/** Rounds of several that take turns, so that a busy moment of the machine meets all; one before them warms up. */
export async function inTurns(...subjects: (() => Promise<LoadResult>)[]): Promise<LoadResult[][]> {
  const runs: LoadResult[][] = subjects.map(() => []);
  for (let round = 0; round <= rounds; round++)
    for (const [index, run] of subjects.entries()) runs[index]!.push(await run());
  return runs.map((list) => list.slice(1));
}

/** What rounds in turns with the echo's come to. */
export function compared(
  name: string,
  measured: readonly LoadResult[],
  echo: readonly LoadResult[],
): Comparison {
  const ratios = measured.map((run, round) => run.requestsPerSecond / echo[round]!.requestsPerSecond);
  const byRounds = ratios.toSorted((one, other) => one - other)[Math.floor(ratios.length / 2)]!;
  return { name, measured: bestRun(measured), echo: bestRun(echo), byRounds };
}

/** The same request again and again. */
export function repeat(bytes: Buffer): () => Buffer {
  return () => bytes;
}

/** Each prepared request once. */
export function each(prepared: readonly Buffer[]): () => Buffer | undefined {
  let at = 0;
  return () => prepared[at++];
}

export interface EchoRequest {
  body: unknown;
  reply: unknown;
  requests: number;
}

/** An echo server that takes and gives bodies of the same size as what it is compared with. */
export async function withEcho<T>(
  { body, reply, requests }: EchoRequest,
  run: (echo: () => Promise<LoadResult>) => Promise<T>,
): Promise<T> {
  const server = await startEcho(reply);
  const bytes = requestBytes("POST", "/echo", body);
  const load = () => runLoad({ server, connections, requests, next: repeat(bytes) });
  try {
    return await run(load);
  } finally {
    await server.stop();
  }
}
