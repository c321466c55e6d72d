import { requestBytes, runLoad, type LoadResult } from "./load.ts";
import { startEcho } from "./child-server.ts";

export const connections = 64;

/** A measured path beside the echo of the same body sizes, in the same run. */
export interface Comparison {
  name: string;
  measured: LoadResult;
  echo: LoadResult;
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
  const bytes = body === undefined ? requestBytes("GET", "/echo") : requestBytes("POST", "/echo", body);
  const load = () => runLoad({ server, connections, requests, next: repeat(bytes) });
  try {
    await load();
    return await run(load);
  } finally {
    await server.stop();
  }
}
