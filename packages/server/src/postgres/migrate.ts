import { type QueryConfig } from "pg";
import { assertSchema, type SchemaChange, type SchemaVersion } from "@afterword/reference-server/internal";
import { type Connection } from "./connection.ts";
import { migrations } from "./migrations.ts";

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
