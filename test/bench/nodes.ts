import { randomUUID } from "node:crypto";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project, survey } from "../conformance/api/projects.ts";
import { asOperator } from "../conformance/postgres-database.ts";
import { endIdleNodes, NodeProcess } from "../faults/node-process.ts";
import { startPostgres } from "../postgres.ts";
import { requestBytes, runLoad } from "./load.ts";
import { each } from "./measure.ts";
import { processorOf, readCounters, waitsDuring } from "./postgres-activity.ts";
import { cpuSeconds } from "./process-cpu.ts";

// How submits per second grow with the nodes on one PostgreSQL that waits for its disk, and what limits them:
// `node test/bench/nodes.ts`. No token may be lost or spent twice meanwhile.

const connections = Number(process.env["BENCH_CONNECTIONS"] ?? 64);
const requests = Number(process.env["BENCH_REQUESTS"] ?? 8000);
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5);
const contestedTokens = 200;
const counts = [1, 2, 3];
/** Whether the clients are shared out among the nodes, or each node has as many. */
const arrangements = ["in all", "per node"] as const;
type Arrangement = (typeof arrangements)[number];

const config = {
  rateLimits: false as const,
  projects: [project("bench", { surveys: ["a", "b", "c", "d"].map((id) => survey(id)) })],
};

/** Times are milliseconds; processor seconds are per 1,000 submits, where other programs do not count. */
interface Run {
  perSecond: number;
  p50: number;
  p99: number;
  nodeSeconds: number;
  databaseSeconds: number;
  loadSeconds: number;
  /** Of one thread, how much the busiest a node can be was used. */
  threadShare: number;
  perCommit: number;
  perFlush: number;
}

const postgres = await startPostgres({ fsync: "on" });
const databaseSeconds = await processorOf(postgres.url);
let acknowledged = 0;

const loadSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
};

/** Unused tokens as requests that are ready to be sent. */
async function preparedSubmits(node: NodeProcess, count: number): Promise<Buffer[]> {
  const client = new ApiClient(node.url, keysOf("bench"));
  const key = client.keys.publishableKey;
  const prepared: Buffer[] = [];
  while (prepared.length < count) {
    const { json } = await client.mint({ respondentId: randomUUID() });
    for (const [surveyId, showToken] of Object.entries(json.tokens)) {
      const body = { key, showToken, surveyId, rating: 9, text: "It did what I asked." };
      prepared.push(requestBytes("POST", "/v1/sdk/responses", body));
    }
  }
  return prepared.slice(0, count);
}

/** Sends everything that was prepared for each node; every submit has to be stored. */
async function submitAll(nodes: readonly NodeProcess[], prepared: Buffer[][], arrangement: Arrangement) {
  const loads = nodes.map(({ url }, index) =>
    runLoad({
      server: { ready: { url }, cpuSeconds: () => 0 },
      connections: arrangement === "per node" ? connections : Math.round(connections / nodes.length),
      requests: prepared[index]!.length,
      next: each(prepared[index]!),
    }),
  );
  const results = await Promise.all(loads);
  const stored = results.reduce((sum, { statuses }) => sum + (statuses["201"] ?? 0), 0);
  if (stored !== prepared.flat().length)
    throw new Error(`Submits failed: ${JSON.stringify(results.map(({ statuses }) => statuses))}`);
  acknowledged += stored;
  return results;
}

const prepare = (nodes: readonly NodeProcess[]) =>
  Promise.all(nodes.map((node) => preparedSubmits(node, Math.floor(requests / nodes.length))));

async function measure(nodes: readonly NodeProcess[], arrangement: Arrangement): Promise<Run> {
  const prepared = await prepare(nodes);
  const submits = prepared.flat().length;
  const seconds = () => ({
    nodes: nodes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
    database: databaseSeconds(),
    load: loadSeconds(),
    wall: performance.now() / 1000,
  });
  const countersBefore = await readCounters(postgres.url);
  const before = seconds();
  const results = await submitAll(nodes, prepared, arrangement);
  const after = seconds();
  const counters = await readCounters(postgres.url);
  const wall = after.wall - before.wall;
  const perThousand = (one: number, other: number) => ((other - one) / submits) * 1000;
  return {
    perSecond: submits / wall,
    p50: Math.max(...results.map(({ p50 }) => p50)),
    p99: Math.max(...results.map(({ p99 }) => p99)),
    nodeSeconds: perThousand(before.nodes, after.nodes),
    databaseSeconds: perThousand(before.database, after.database),
    loadSeconds: perThousand(before.load, after.load),
    threadShare: (after.nodes - before.nodes) / nodes.length / wall,
    perCommit: submits / (counters.commits - countersBefore.commits),
    perFlush: submits / (counters.flushes - countersBefore.flushes),
  };
}

/** Tokens that all nodes are given at once: one of them has to store each, and all others have to know. */
async function contest(nodes: readonly NodeProcess[]): Promise<void> {
  for (const request of await preparedSubmits(nodes[0]!, contestedTokens)) {
    const statuses = await Promise.all(
      nodes.map(async ({ url }) => {
        const load = { server: { ready: { url }, cpuSeconds: () => 0 }, connections: 1, requests: 1 };
        return Object.keys((await runLoad({ ...load, next: () => request })).statuses)[0];
      }),
    );
    if (statuses.toSorted().join() !== ["201", ...nodes.slice(1).map(() => "409")].join())
      throw new Error(`One token was answered with ${statuses.join()}.`);
    acknowledged += 1;
  }
}

/** Past every server: what was acknowledged is there, each with a token of its own. */
async function assertNothingLostOrDoubled(): Promise<void> {
  const { rows } = await asOperator(postgres.url, (client) =>
    client.query<{ counted: number }>(`
      SELECT count(*)::integer AS counted FROM responses UNION ALL
      SELECT count(DISTINCT token_id)::integer FROM responses UNION ALL
      SELECT count(*)::integer FROM spent_tokens UNION ALL
      SELECT sum(responses)::integer FROM response_counts`),
  );
  const found = rows.map(({ counted }) => counted);
  if (found.some((counted) => counted !== acknowledged))
    throw new Error(`${acknowledged} submits were acknowledged, and there are ${found.join()}.`);
}

function middle(runs: readonly Run[]): Run {
  const of = (field: keyof Run) =>
    runs.map((run) => run[field]).toSorted((one, other) => one - other)[Math.floor(runs.length / 2)]!;
  const fields = Object.keys(runs[0]!) as (keyof Run)[];
  return Object.fromEntries(fields.map((field) => [field, of(field)])) as unknown as Run;
}

function line(count: number, run: Run, one: Run): string {
  return [
    `${count} nodes: ${run.perSecond.toFixed(0)} submits/s (${(run.perSecond / one.perSecond).toFixed(2)} of one)`,
    `p50 ${run.p50.toFixed(1)} ms, p99 ${run.p99.toFixed(1)} ms`,
    `processor seconds per 1,000: nodes ${run.nodeSeconds.toFixed(3)}, PostgreSQL ${run.databaseSeconds.toFixed(3)}, load ${run.loadSeconds.toFixed(3)}`,
    `${(run.threadShare * 100).toFixed(0)} % of each node's thread`,
    `${run.perCommit.toFixed(1)} submits per commit, ${run.perFlush.toFixed(1)} per flush`,
  ].join("; ");
}

const nodes: NodeProcess[] = [];
try {
  for (let count = 0; count < Math.max(...counts); count++) {
    nodes.push(await NodeProcess.start({ database: postgres.url, config }));
    await measure(nodes.slice(count), "per node");
  }
  const runs = new Map<string, Run[]>();
  // Taking turns, so that a busy moment of the machine meets all of them.
  for (let round = 0; round < rounds; round++) {
    for (const arrangement of arrangements) {
      for (const count of counts) {
        const key = `${arrangement} ${count}`;
        runs.set(key, [...(runs.get(key) ?? []), await measure(nodes.slice(0, count), arrangement)]);
      }
    }
  }
  for (const arrangement of arrangements) {
    process.stdout.write(`${connections} connections ${arrangement}\n`);
    const one = middle(runs.get(`${arrangement} 1`)!);
    for (const count of counts)
      process.stdout.write(`  ${line(count, middle(runs.get(`${arrangement} ${count}`)!), one)}\n`);
  }
  const prepared = await prepare(nodes);
  const waits = await waitsDuring(postgres.url, () => submitAll(nodes, prepared, "per node"));
  const told = waits.slice(0, 6).map(([wait, share]) => `${wait} ${(share * 100).toFixed(0)} %`);
  process.stdout.write(`busy sessions, three nodes: ${told.join(", ")}\n`);
  await contest(nodes);
  await assertNothingLostOrDoubled();
  process.stdout.write(`${acknowledged} submits acknowledged and stored, none twice\n`);
} finally {
  await Promise.all(nodes.map((node) => node.stop()));
  endIdleNodes();
  await postgres.stop();
}
