import Database from "better-sqlite3";
import { asOperator } from "../conformance/postgres-database.ts";

const dayInMs = 24 * 3_600_000;
/** As long as answers are kept by default. */
const storedInDays = 730;
const dayOf = (at: number) => at - (at % dayInMs);

/** Each person answers ten times, at any time. */
const answersPerPerson = 10;
const answersPerStatement = 250_000;
/** The newest answers still wait for the forwarder. */
const pending = 2000;

interface Dialect {
  runType: "text" | "jsonb";
  series(first: number, count: number): string;
  /** Twelve digits. */
  hex(value: string): string;
  /** 16 bytes. */
  token: string;
}

const sqlite: Dialect = {
  runType: "text",
  series: (first, count) =>
    `(WITH RECURSIVE n (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${first + count - 1}) SELECT i FROM n)`,
  hex: (value) => `printf('%012x', ${value})`,
  token: "randomblob(16)",
};

const postgres: Dialect = {
  runType: "jsonb",
  series: (first, count) => `generate_series(${first}::bigint, ${first + count - 1}) AS series (i)`,
  hex: (value) => `lpad(to_hex(${value}), 12, '0')`,
  token: "decode(md5(i::text), 'hex')",
};

/** Four versions of the agent; one run in seven failed, which is a stratum. */
const runAsJson = `'{"version":"2.' || (i % 4) || '","facts":{"steps":' || (i % 9) || '}' ||
  CASE WHEN i % 7 = 0 THEN ',"stratum":"failed"' ELSE '' END || ',"samplingProbability":0.5}'`;

/**
 * Answers to three surveys of project `ask`, one in twenty with a text, as a server has them that has forgotten each night what
 * is too old.
 */
function answersFrom(dialect: Dialect, answers: number, now: number, first: number, count: number): string {
  const { runType, series, hex, token } = dialect;
  const start = now - storedInDays * dayInMs;
  const since = (days: number) => now - days * dayInMs;
  return `
  INSERT INTO responses (id, project_id, survey_id, survey_version, respondent_id, session_id, task_type, rating, text,
    identity_kind, at, source, score_state, run, token_id)
  SELECT substr(${hex("at")}, 1, 8) || '-' || substr(${hex("at")}, 9) || '-7000-8000-' || ${hex("i")}, 'ask',
    's' || (i % 3), 1, 'respondent-' || ((i * 7919) % ${Math.ceil(answers / answersPerPerson)}), 'session-' || i,
    CASE i % 4 WHEN 0 THEN 'refund' WHEN 1 THEN 'invoice' WHEN 2 THEN 'search' END, (i * 7919) % 11,
    CASE WHEN i % 20 = 0 AND at > CASE WHEN i % 1000 = 0 THEN ${since(30)} ELSE ${since(365)} END
      THEN 'It did what I asked, and faster than I would have.' END,
    'identified', at, 'measured',
    CASE WHEN i >= ${answers - pending} THEN 'pending' WHEN i % 1000 = 0 THEN 'failed' ELSE 'delivered' END,
    CAST(${runAsJson} AS ${runType}), ${token}
  FROM (SELECT i, ${start} + i * ${Math.floor((storedInDays * dayInMs) / answers)} AS at
    FROM ${series(first, count)}) AS numbered`;
}

/** Ten runs for each answer without a stratum, two for the others. */
const runCounts = (answers: number, now: number) => `
  INSERT INTO run_counts (project_id, survey_id, day, version, stratum, kind, reason, count)
  SELECT project_id, survey_id, ${dayOf(now) - 30 * dayInMs}, '2.' || version, stratum, kind, '',
    ${Math.ceil(answers / 12)} * CASE stratum WHEN '' THEN 10 ELSE 1 END
  FROM (SELECT 'ask' AS project_id) AS project
  CROSS JOIN (SELECT 's0' AS survey_id UNION SELECT 's1' UNION SELECT 's2') AS surveys
  CROSS JOIN (SELECT 0 AS version UNION SELECT 1 UNION SELECT 2 UNION SELECT 3) AS versions
  CROSS JOIN (SELECT '' AS stratum UNION SELECT 'failed') AS strata
  CROSS JOIN (SELECT 'run' AS kind UNION SELECT 'asked') AS kinds`;

function* statements(dialect: Dialect, answers: number): Generator<string> {
  const now = Date.now();
  for (let first = 0; first < answers; first += answersPerStatement)
    yield answersFrom(dialect, answers, now, first, Math.min(answersPerStatement, answers - first));
  yield runCounts(answers, now);
}

/** Adds answers of two years by statements: ten million over HTTP would only measure HTTP. */
export async function fillAnswers(database: string, answers: number): Promise<void> {
  if (database.startsWith("postgres")) {
    await asOperator(database, async (client) => {
      for (const statement of statements(postgres, answers)) await client.query(statement);
      await client.query("VACUUM ANALYZE");
    });
    return;
  }
  const connection = new Database(database);
  connection.pragma("synchronous = OFF");
  connection.pragma("cache_size = -500000");
  for (const statement of statements(sqlite, answers)) connection.exec(statement);
  connection.pragma("synchronous = FULL");
  connection.pragma("wal_checkpoint(TRUNCATE)");
  connection.close();
}
