import { ApiClient } from "../conformance/api/api-client.ts";
import { keysOf, project, survey } from "../conformance/api/projects.ts";
import { asOperator } from "../conformance/postgres-database.ts";
import { endIdleNodes, NodeProcess } from "../faults/node-process.ts";
import { startPostgres } from "../postgres.ts";
import { requestBytes, runLoad } from "./load.ts";
import { each } from "./measure.ts";
import { cpuSeconds, cpuSecondsOfFamily, parentOf } from "./process-cpu.ts";

// How submits per second grow with the nodes on one PostgreSQL that waits for its disk: `node test/bench/nodes.ts`.

const connections = Number(process.env["BENCH_CONNECTIONS"] ?? 64);
const requests = Number(process.env["BENCH_REQUESTS"] ?? 8000);
const rounds = 3;
const counts = [1, 2, 3];
const surveyIds = Array.from({ length: 100 }, (_, index) => `s${index}`);
const config = {
  rateLimits: false as const,
  projects: [project("bench", { surveys: surveyIds.map((id) => survey(id)) })],
};

interface Run {
  requestsPerSecond: number;
  /** Processor time per submit, of all nodes and of PostgreSQL. */
  nodeMicroseconds: number;
  databaseMicroseconds: number;
  p50: number;
  p99: number;
}

/** Unused tokens as requests that are ready to be sent. */
async function preparedSubmits(client: ApiClient, count: number): Promise<Buffer[]> {
  const key = client.keys.publishableKey;
  const prepared: Buffer[] = [];
  while (prepared.length < count) {
    const { json } = await client.mint({ respondentId: `person-${process.hrtime.bigint()}` });
    for (const [surveyId, showToken] of Object.entries(json.tokens)) {
      const body = { key, showToken, surveyId, rating: 9, text: "It did what I asked." };
      prepared.push(requestBytes("POST", "/v1/sdk/responses", body));
    }
  }
  return prepared.slice(0, count);
}

/** The same number of connections and requests, spread over the nodes. */
async function measure(nodes: readonly NodeProcess[]): Promise<Run> {
  const client = new ApiClient(nodes[0]!.url, keysOf("bench"));
  const share = Math.floor(requests / nodes.length);
  const prepared = await Promise.all(nodes.map(() => preparedSubmits(client, share)));
  const spent = () => ({
    nodes: nodes.reduce((seconds, { pid }) => seconds + cpuSeconds(pid), 0),
    database: cpuSecondsOfFamily(postmaster),
  });
  const before = spent();
  const startedAt = performance.now();
  const loads = nodes.map(({ url }, index) =>
    runLoad({
      server: { ready: { url }, cpuSeconds: () => 0 },
      connections: Math.round(connections / nodes.length),
      requests: share,
      next: each(prepared[index]!),
    }),
  );
  const results = await Promise.all(loads);
  const seconds = (performance.now() - startedAt) / 1000;
  const failed = results.filter(({ statuses }) => statuses["201"] !== share);
  if (failed.length > 0)
    throw new Error(`Submits failed: ${JSON.stringify(failed.map(({ statuses }) => statuses))}`);
  const after = spent();
  const perSubmit = (used: number) => (used / (share * nodes.length)) * 1_000_000;
  return {
    requestsPerSecond: (share * nodes.length) / seconds,
    nodeMicroseconds: perSubmit(after.nodes - before.nodes),
    databaseMicroseconds: perSubmit(after.database - before.database),
    p50: Math.max(...results.map(({ p50 }) => p50)),
    p99: Math.max(...results.map(({ p99 }) => p99)),
  };
}

const middle = (runs: readonly Run[]) =>
  runs.toSorted((one, other) => one.requestsPerSecond - other.requestsPerSecond)[
    Math.floor(runs.length / 2)
  ]!;

const postgres = await startPostgres({ fsync: "on" });
const postmaster = await asOperator(postgres.url, async (client) => {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return parentOf(rows[0]!.pid);
});
const nodes: NodeProcess[] = [];
try {
  for (let count = 0; count < Math.max(...counts); count++) {
    nodes.push(await NodeProcess.start({ database: postgres.url, config }));
  }
  await measure(nodes);
  const runs = new Map<number, Run[]>(counts.map((count) => [count, []]));
  // Taking turns, so that a busy moment of the machine meets all of them.
  for (let round = 0; round < rounds; round++) {
    for (const count of counts) runs.get(count)!.push(await measure(nodes.slice(0, count)));
  }
  const one = middle(runs.get(1)!).requestsPerSecond;
  for (const [count, list] of runs) {
    const { requestsPerSecond, p50, p99, nodeMicroseconds, databaseMicroseconds } = middle(list);
    const rate = `${requestsPerSecond.toFixed(0)} submits/s (${(requestsPerSecond / one).toFixed(2)} of one node)`;
    const cpu = `cpu per submit ${nodeMicroseconds.toFixed(0)} us node, ${databaseMicroseconds.toFixed(0)} us PostgreSQL`;
    process.stdout.write(
      `${count} nodes: ${rate}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${cpu}\n`,
    );
  }
} finally {
  await Promise.all(nodes.map((node) => node.stop()));
  endIdleNodes();
  await postgres.stop();
}
