import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { asOperator } from "../conformance/postgres-database.ts";
import { startPostgres } from "../postgres.ts";
import { withSecretKeys, writeBenchConfig } from "./bench-config.ts";
import { startBuiltServer, type ChildServer } from "./child-server.ts";
import { runCommand, slowestOf, type CommandRun } from "./command-run.ts";
import { fillAnswers } from "./fill-answers.ts";
import { mintMany } from "./http-scenarios.ts";
import { quantile, startTime, timePage } from "./scale-scenarios.ts";

// What operating a server costs that has stored many answers: `node test/bench/volume.ts` after a build, and with `--postgres` the
// same on PostgreSQL. BENCH_ANSWERS changes how many; BENCH_DATABASE is a file or URL to fill once and measure again, and
// `--fill` only fills it. `--save FILE` writes the figures as JSON.

const { values: flags } = parseArgs({
  options: { postgres: { type: "boolean" }, fill: { type: "boolean" }, save: { type: "string" } },
});
const answers = Number(process.env["BENCH_ANSWERS"] ?? 10_000_000);
const dayInMs = 86_400_000;
const textDaysFewer = 365;
const failedTextDaysFewer = 700;
const submitEveryMs = 100;

interface Row extends Partial<CommandRun> {
  what: string;
  /** Anything else worth knowing. */
  note?: string;
}

interface Stored {
  answers: number;
  bytes: number;
  /** The time of the oldest answer. */
  oldestAt: number;
}

const counted = "SELECT count(*) AS answers, min(at) AS oldest FROM responses WHERE project_id = 'ask'";

async function storedIn(database: string): Promise<Stored> {
  if (database.startsWith("postgres"))
    return asOperator(database, async (client) => {
      const { rows } = await client.query(counted);
      const size = await client.query("SELECT pg_total_relation_size('responses') AS bytes");
      return {
        answers: Number(rows[0].answers),
        oldestAt: Number(rows[0].oldest),
        bytes: Number(size.rows[0].bytes),
      };
    });
  const connection = new Database(database, { readonly: true });
  const row = connection.prepare<[], { answers: number; oldest: number }>(counted).get()!;
  connection.close();
  return { answers: row.answers, oldestAt: row.oldest, bytes: statSync(database).size };
}

async function submit(server: ChildServer, [surveyId, showToken]: [string, string]): Promise<number> {
  const startedAt = performance.now();
  const key = server.ready.projects[1]!.publishableKey;
  const reply = await fetch(`${server.ready.url}/v1/sdk/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key, showToken, surveyId, rating: 9, text: "It did what I asked." }),
  });
  if (reply.status !== 201)
    throw new Error(`A submit was answered with ${reply.status}: ${await reply.text()}`);
  return performance.now() - startedAt;
}

const mintedAtOnce = 100;

/** Ten submits a second, at their own moments, while some work lasts. Says how long they took. */
async function besideSubmits<T>(
  server: ChildServer,
  work: () => Promise<T>,
): Promise<{ result: T; submits: string }> {
  const over = new AbortController();
  const running = work().finally(() => over.abort());
  const submits: Promise<number>[] = [];
  const startedAt = performance.now();
  let tokens: [string, string][] = [];
  while (!over.signal.aborted) {
    if (tokens.length === 0) tokens = await mintMany(server, mintedAtOnce);
    submits.push(submit(server, tokens.pop()!));
    await sleep(Math.max(0, startedAt + submits.length * submitEveryMs - performance.now()));
  }
  const result = await running;
  const times = await Promise.all(submits);
  const text = `${times.length} submits: p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
  return { result, submits: text };
}

function retentionOf(database: string, days: number): () => Promise<CommandRun> {
  const ages = {
    "response": days,
    "text": days - textDaysFewer,
    "failed-text": days - failedTextDaysFewer,
  };
  const periods = Object.entries(ages).flatMap(([kind, age]) => [`--${kind}-retention-days`, String(age)]);
  return () => runCommand(["retention", "--db", database, "--yes", ...periods]);
}

async function measureBackups(database: string, folder: string, server: ChildServer): Promise<Row[]> {
  const copy = join(folder, "copy.db");
  const backup = async (...more: string[]) => {
    const run = await runCommand(["backup", copy, "--db", database, "--yes", ...more]);
    return { ...run, note: `${(statSync(copy).size / 1_000_000 / run.seconds).toFixed(0)} MB/s` };
  };
  const rows: Row[] = [{ what: "backup", ...(await backup()) }];
  const { result, submits } = await besideSubmits(server, () => backup());
  rows.push({ what: "backup beside 10 submits a second", ...result, note: `${result.note}; ${submits}` });
  rmSync(copy);
  return rows;
}

async function measureServer(config: string, database: string, folder: string, days: number): Promise<Row[]> {
  const server = withSecretKeys(await startBuiltServer(config, database));
  try {
    const pages: number[] = [];
    for (let count = 0; count < 50; count++) pages.push((await timePage(server, undefined)).inMs);
    const alone = await besideSubmits(server, () => sleep(20_000));
    const forget = retentionOf(database, days);
    const night = await besideSubmits(server, forget);
    return [
      { what: "page of 100 pending scores, p50", seconds: quantile(pages, 0.5) / 1000 },
      { what: "10 submits a second, nothing else", note: alone.submits },
      {
        what: "retention of the oldest day, beside 10 submits a second",
        ...night.result,
        note: night.submits,
      },
      { what: "retention with nothing to delete", ...(await forget()) },
      ...(database.startsWith("postgres") ? [] : await measureBackups(database, folder, server)),
    ];
  } finally {
    await server.stop();
  }
}

async function measure(config: string, database: string, folder: string): Promise<Row[]> {
  const stored = await storedIn(database);
  const days = Math.floor((Date.now() - stored.oldestAt) / dayInMs - 0.5);
  const bytes = (stored.bytes / stored.answers).toFixed(0);
  return [
    { what: `${stored.answers} answers`, note: `${(stored.bytes / 1e9).toFixed(2)} GB, ${bytes} bytes each` },
    {
      what: "results of 90 days, the slowest of three",
      ...(await slowestOf(3, () => runCommand(["results", "--db", database, "--project", "ask", "--json"]))),
    },
    // It has things to say about this server, such as that it has no erasure log.
    { what: "doctor", ...(await slowestOf(3, () => runCommand(["doctor", "--db", database], [0, 5]))) },
    { what: "start to ready line, the middle of three", seconds: (await startTime(config, database)) / 1000 },
    ...(await measureServer(config, database, folder, days)),
  ];
}

function table(rows: readonly Row[]): string {
  const cell = (value: number | undefined, digits: number, unit: string) =>
    value === undefined ? "" : `${value.toFixed(digits)} ${unit}`;
  const lines = rows.map(
    ({ what, seconds, processorSeconds, megabytes, note = "" }) =>
      `| ${what} | ${cell(seconds, 3, "s")} | ${cell(processorSeconds, 1, "s")} | ${cell(megabytes, 0, "MB")} | ${note} |`,
  );
  return ["| what | took | processor | most memory | |", "| --- | --- | --- | --- | --- |", ...lines].join(
    "\n",
  );
}

/** Makes the tables and fills them, unless they are filled already. */
async function prepare(config: string, database: string): Promise<void> {
  await (await startBuiltServer(config, database)).stop();
  if ((await storedIn(database)).answers === 0) await fillAnswers(database, answers);
}

const folder = mkdtempSync(join(tmpdir(), "afterword-volume-"));
const postgres =
  flags.postgres && process.env["BENCH_DATABASE"] === undefined
    ? await startPostgres({ fsync: "on" })
    : undefined;
try {
  const database = process.env["BENCH_DATABASE"] ?? postgres?.url ?? join(folder, "volume.db");
  const config = join(folder, "config.json");
  writeBenchConfig(config);
  if (database.startsWith("postgres")) {
    process.env["AFTERWORD_KEY_FILE"] = join(folder, "master.key");
    writeFileSync(process.env["AFTERWORD_KEY_FILE"], "5a".repeat(32), { mode: 0o600 });
  }
  await prepare(config, database);
  if (!flags.fill) {
    const rows = await measure(config, database, folder);
    process.stdout.write(`${table(rows)}\n`);
    if (flags.save) writeFileSync(flags.save, JSON.stringify(rows, null, 2));
  }
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
