import { type QueryConfig } from "pg";
import { assertSchema, type SchemaChange, type SchemaVersion } from "@afterword/reference-server/internal";
import { type Connection } from "./connection.ts";

/** One version further. */
export interface Migration {
  /** The oldest version whose servers work on the result: they may run beside newer ones, and start again there. */
  oldest: number;
  sql: string;
}

/**
 * Forward only: each entry lifts the database by one version and is never changed once released. The version is in
 * `schema_version`. Texts that are looked up compare by their bytes, so that an index outlives an upgrade of the
 * operating system's collations.
 *
 * Servers of the last release keep running while an entry is applied. It therefore only adds: tables, and columns that are
 * empty or have a constant default. What a release no longer uses, the next release removes.
 */
export const migrations: readonly Migration[] = [
  {
    oldest: 1,
    sql: `
  CREATE TABLE projects (
    id text COLLATE "C" PRIMARY KEY, name text NOT NULL, allowed_origins text NOT NULL, gating text NOT NULL,
    epoch integer NOT NULL, secrets text NOT NULL, created_at bigint NOT NULL
  );

  CREATE TABLE keys (
    id text COLLATE "C" PRIMARY KEY, project_id text COLLATE "C" NOT NULL REFERENCES projects, kind text NOT NULL,
    scopes text, digest text NOT NULL, publishable_key text, display text NOT NULL, managed_by text NOT NULL,
    created_at bigint NOT NULL, expires_at bigint, revoked_at bigint, uses text
  );

  CREATE TABLE surveys (
    project_id text COLLATE "C" NOT NULL REFERENCES projects, id text COLLATE "C" NOT NULL, slug text NOT NULL,
    version integer NOT NULL, definition text NOT NULL, status text NOT NULL, maximum integer, ask_again text,
    unprompted smallint, managed_by text NOT NULL, deleted_at bigint,
    PRIMARY KEY (project_id, id)
  );

  CREATE TABLE directory (version bigint NOT NULL);
  INSERT INTO directory (version) VALUES (0);

  CREATE TABLE agreements (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);

  CREATE TABLE clean_up (last_at bigint);
  INSERT INTO clean_up (last_at) VALUES (NULL);

  -- Ids begin with the end of the token's life, so the ledger needs no index by that. Those of runs begin with no time
  -- and are forgotten by their use.
  CREATE TABLE spent_tokens (
    project_id text COLLATE "C" NOT NULL, token_id bytea NOT NULL, kind text NOT NULL, record_id text COLLATE "C",
    at bigint, compared integer NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, token_id)
  );
  CREATE INDEX spent_run_tokens ON spent_tokens (at) WHERE token_id >= '\\xffff';

  CREATE TABLE responses (
    sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE, project_id text COLLATE "C" NOT NULL, survey_id text COLLATE "C" NOT NULL,
    survey_version integer NOT NULL, respondent_id text COLLATE "C", session_id text, observation_id text,
    task_type text, rating integer, text text, follow_up_requested smallint, identity_kind text, traits text,
    at bigint NOT NULL, source text NOT NULL, score_state text NOT NULL, failure text, token_id bytea
  );
  -- For results and exports. With the survey in second place, new rows would go to as many pages as there are surveys.
  CREATE INDEX responses_by_time ON responses (project_id, at, sequence, survey_id);
  -- The beginning of an id: a key of an index has at most a third of a page, which a legal id can exceed.
  CREATE INDEX responses_by_respondent ON responses (project_id, left(respondent_id, 256))
    WHERE respondent_id IS NOT NULL;
  CREATE INDEX responses_pending ON responses (project_id, sequence) WHERE score_state = 'pending';
  CREATE INDEX responses_failed ON responses (project_id, sequence) WHERE score_state = 'failed';
  -- For retention, which reads the texts that it removes.
  CREATE INDEX responses_with_text ON responses (at) WHERE text IS NOT NULL;

  CREATE TABLE dismissals (
    id text COLLATE "C" PRIMARY KEY, project_id text COLLATE "C" NOT NULL, survey_id text COLLATE "C" NOT NULL,
    respondent_id text COLLATE "C", at bigint NOT NULL, token_id bytea NOT NULL
  );
  CREATE INDEX dismissals_by_time ON dismissals (project_id, at, survey_id);
  CREATE INDEX dismissals_by_respondent ON dismissals (project_id, left(respondent_id, 256));

  CREATE TABLE suppression (
    project_id text COLLATE "C" NOT NULL, respondent_hash bytea NOT NULL, survey_id text COLLATE "C" NOT NULL,
    answered_at bigint NOT NULL, dismissed_at bigint NOT NULL, is_permanent smallint NOT NULL,
    PRIMARY KEY (project_id, respondent_hash, survey_id)
  );

  CREATE TABLE asks (
    project_id text COLLATE "C" NOT NULL, respondent_hash bytea NOT NULL, at bigint NOT NULL,
    survey_id text COLLATE "C" NOT NULL, times integer NOT NULL,
    PRIMARY KEY (project_id, respondent_hash, at, survey_id)
  );
  CREATE INDEX asks_by_time ON asks (at);

  CREATE TABLE runs (
    project_id text COLLATE "C" NOT NULL, respondent_hash bytea NOT NULL, run_hash bytea NOT NULL,
    survey_id text COLLATE "C" NOT NULL, at bigint NOT NULL,
    PRIMARY KEY (project_id, respondent_hash, run_hash, survey_id)
  );
  CREATE INDEX runs_by_time ON runs (at);

  CREATE TABLE response_counts (
    project_id text COLLATE "C" NOT NULL, survey_id text COLLATE "C" NOT NULL, responses bigint NOT NULL,
    PRIMARY KEY (project_id, survey_id)
  );

  CREATE TABLE deliveries (
    project_id text COLLATE "C" NOT NULL, hour bigint NOT NULL, delivered bigint NOT NULL,
    PRIMARY KEY (project_id, hour)
  );

  -- Without a write-ahead log: after a crash of the database, the scores are listed to all consumers again. Room on each
  -- page lets rows be updated in place.
  CREATE UNLOGGED TABLE leases (
    sequence bigint PRIMARY KEY, project_id text COLLATE "C" NOT NULL, consumer text NOT NULL, until bigint NOT NULL
  ) WITH (fillfactor = 50);
  `,
  },
  {
    oldest: 2,
    sql: `
  ALTER TABLE responses ADD COLUMN run jsonb;
  ALTER TABLE surveys ADD COLUMN sampling text;

  -- Empty texts stand for none: a column of a primary key cannot be null.
  CREATE TABLE run_counts (
    project_id text COLLATE "C" NOT NULL, survey_id text COLLATE "C" NOT NULL, day bigint NOT NULL,
    version text COLLATE "C" NOT NULL, stratum text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL, count bigint NOT NULL,
    PRIMARY KEY (project_id, survey_id, day, version, stratum, kind, reason)
  );
  CREATE INDEX run_counts_by_day ON run_counts (day);
  `,
  },
];

/** An arbitrary number for an advisory lock; no other program may use it in this database. */
const migrationLock = 7_236_401_925;

/** The driver waits a day for one migration; the database has no limit. */
const patiently = (text: string): QueryConfig & { query_timeout: number } => ({
  text,
  query_timeout: 24 * 60 * 60_000,
});

const createVersion = `
  CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL);
  ALTER TABLE schema_version ADD COLUMN IF NOT EXISTS oldest integer`;

async function versionOf(connection: Connection): Promise<SchemaVersion> {
  const table = await connection.query<{ exists: boolean }>(
    "SELECT to_regclass('schema_version') IS NOT NULL AS exists",
  );
  if (!table.rows[0]?.exists) return { version: 0 };
  // As JSON, since the column came later than the table.
  const { rows } = await connection.query<SchemaVersion>(
    "SELECT version, (to_jsonb(schema_version) ->> 'oldest')::integer AS oldest FROM schema_version",
  );
  return rows[0] ?? { version: 0 };
}

/**
 * Lifts the database to the newest version, inside the caller's transaction: all of it or nothing. Nodes that start at once
 * queue up for the lock, and all but the first find nothing left to do.
 * @throws SchemaMismatch when the database is of another version and may not be changed
 */
export async function migrate(connection: Connection, change: SchemaChange): Promise<void> {
  const newest = migrations.length;
  // Reading the version needs no lock.
  if (change === "none") return assertSchema(await versionOf(connection), newest, change);
  await connection.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
  const found = await versionOf(connection);
  assertSchema(found, newest, change);
  if (found.version >= newest) return;
  await connection.query(createVersion);
  // An index over all rows takes long. With a time limit, each start would begin again and none would finish.
  await connection.query("SET LOCAL statement_timeout = 0");
  // A change of a table that waits for a long reader, such as pg_dump, holds up every request of the running nodes behind it.
  await connection.query("SET LOCAL lock_timeout = '2s'");
  for (const { sql } of migrations.slice(found.version)) await connection.query(patiently(sql));
  await connection.query("DELETE FROM schema_version");
  const { oldest } = migrations.at(-1)!;
  await connection.query("INSERT INTO schema_version (version, oldest) VALUES ($1, $2)", [newest, oldest]);
}
