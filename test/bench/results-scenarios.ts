import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { asOperator } from "../conformance/postgres-database.ts";
import { withSecretKeys } from "./bench-config.ts";
import { startBuiltServer } from "./child-server.ts";
import { submitRun } from "./http-scenarios.ts";
import { rounds } from "./measure.ts";
import { peakMegabytes } from "./resident-memory.ts";

const program = fileURLToPath(new URL("../../reference-server/dist/cli.js", import.meta.url));
const dayInMs = 24 * 3_600_000;
/** As long as answers are kept by default. */
const storedInMs = 730 * dayInMs;
const dayOf = (at: number) => at - (at % dayInMs);

/** One run of the command: how long, and the most memory that its process held at once. */
export interface ResultsRun {
  seconds: number;
  megabytes: number;
}

export interface ResultsFigures {
  database: "SQLite" | "PostgreSQL";
  answers: number;
  /** Of the last 90 days. */
  recent: ResultsRun;
  /** Of all answers, as is the page. */
  summary: ResultsRun;
  page: ResultsRun;
  /** Milliseconds that 99 of 100 submits took at most, the median of all rounds, and the median ratio of a round. */
  submits: { aloneP99: number; besideP99: number; ratio: number };
}

/** Each person answers ten times, at any time. */
const answersPerPerson = 10;

/** Four versions of the agent; one run in seven failed, which is a stratum. */
const runAsJson = `'{"version":"2.' || (i % 4) || '","facts":{"steps":' || (i % 9) || '}' ||
  CASE WHEN i % 7 = 0 THEN ',"stratum":"failed"' ELSE '' END || ',"samplingProbability":0.5}'`;

/**
 * Answers of two years to three surveys, one in twenty with a text; `series` yields whole numbers `i`.
 * @param runType type of the column of runs
 */
const answersFrom = (series: string, answers: number, runType: "text" | "jsonb") => `
  INSERT INTO responses (id, project_id, survey_id, survey_version, respondent_id, session_id, task_type, rating, text,
    identity_kind, at, source, score_state, run)
  SELECT 'answer-' || i, 'ask', 's' || (i % 3), 1, 'respondent-' || (i * 7919) % ${Math.ceil(answers / answersPerPerson)},
    'session-' || i,
    CASE i % 4 WHEN 0 THEN 'refund' WHEN 1 THEN 'invoice' WHEN 2 THEN 'search' END, (i * 7919) % 11,
    CASE WHEN i % 20 = 0 THEN 'It did what I asked, and faster than I would have.' END, 'identified',
    ${Date.now() - storedInMs} + i * ${Math.floor(storedInMs / answers)}, 'measured',
    CASE WHEN i % 1000 = 0 THEN 'failed' ELSE 'delivered' END, CAST(${runAsJson} AS ${runType})
  FROM ${series}`;

/** Ten runs for each answer without a stratum, two for the others. */
const runCounts = (answers: number) => `
  INSERT INTO run_counts (project_id, survey_id, day, version, stratum, kind, reason, count)
  SELECT project_id, survey_id, ${dayOf(Date.now()) - 30 * dayInMs}, '2.' || version, stratum, kind, '',
    ${Math.ceil(answers / 12)} * CASE stratum WHEN '' THEN 10 ELSE 1 END
  FROM (SELECT 'ask' AS project_id) AS project
  CROSS JOIN (SELECT 's0' AS survey_id UNION SELECT 's1' UNION SELECT 's2') AS surveys
  CROSS JOIN (SELECT 0 AS version UNION SELECT 1 UNION SELECT 2 UNION SELECT 3) AS versions
  CROSS JOIN (SELECT '' AS stratum UNION SELECT 'failed') AS strata
  CROSS JOIN (SELECT 'run' AS kind UNION SELECT 'asked') AS kinds`;

async function fill(database: string, answers: number): Promise<void> {
  if (database.startsWith("postgres")) {
    const series = `generate_series(0::bigint, ${answers - 1}) AS i`;
    await asOperator(database, async (client) => {
      await client.query(answersFrom(series, answers, "jsonb"));
      await client.query(runCounts(answers));
      await client.query("VACUUM ANALYZE responses");
    });
    return;
  }
  const connection = new Database(database);
  const series = `(WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${answers - 1}) SELECT i FROM n)`;
  connection.exec(answersFrom(series, answers, "text"));
  connection.exec(runCounts(answers));
  connection.pragma("wal_checkpoint(TRUNCATE)");
  connection.close();
}

async function runResults(database: string, ...flags: string[]): Promise<ResultsRun> {
  const startedAt = performance.now();
  const words = ["results", "--db", database, "--project", "ask", ...flags];
  const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "ignore", "pipe"] });
  let megabytes = 0;
  let errors = "";
  child.stderr.on("data", (chunk) => void (errors += String(chunk)));
  const watch = setInterval(() => (megabytes = Math.max(megabytes, peakMegabytes(child.pid!))), 10);
  const [code] = (await once(child, "exit")) as [number];
  clearInterval(watch);
  if (code !== 0) throw new Error(`results ended with ${code}: ${errors}`);
  return { seconds: (performance.now() - startedAt) / 1000, megabytes };
}

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

async function slowestOf(runs: number, run: () => Promise<ResultsRun>): Promise<ResultsRun> {
  const all: ResultsRun[] = [];
  for (let count = 0; count < runs; count++) all.push(await run());
  return {
    seconds: Math.max(...all.map(({ seconds }) => seconds)),
    megabytes: Math.max(...all.map(({ megabytes }) => megabytes)),
  };
}

/** Runs one after the other until told to stop; resolves when the last has ended. */
function keepRunning(run: () => Promise<unknown>): () => Promise<void> {
  const over = new AbortController();
  const loop = (async () => {
    while (!over.signal.aborted) await run();
  })();
  return () => {
    over.abort();
    return loop;
  };
}

/**
 * What the results of many answers take, the slowest of three, and what they do to the submits of another project in the
 * same database, in rounds with and without them.
 */
export async function benchResults(
  config: string,
  database: string,
  page: string,
  answers: number,
  requests: number,
): Promise<ResultsFigures> {
  const server = withSecretKeys(await startBuiltServer(config, database));
  try {
    await fill(database, answers);
    const all = ["--since", "800d"];
    const readPage = () => runResults(database, "--html", page, ...all);
    const figures = {
      recent: await slowestOf(3, () => runResults(database, "--json")),
      summary: await slowestOf(3, () => runResults(database, "--json", ...all)),
      page: await slowestOf(3, readPage),
    };
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      alone.push((await submitRun(server, requests)).p99);
      const stop = keepRunning(readPage);
      beside.push((await submitRun(server, requests)).p99);
      await stop();
    }
    // The first round warms up.
    const [aloneP99s, besideP99s] = [alone.slice(1), beside.slice(1)];
    const ratio = median(besideP99s.map((p99, round) => p99 / aloneP99s[round]!));
    const submits = { aloneP99: median(aloneP99s), besideP99: median(besideP99s), ratio };
    return {
      database: database.startsWith("postgres") ? "PostgreSQL" : "SQLite",
      answers,
      ...figures,
      submits,
    };
  } finally {
    await server.stop();
  }
}
