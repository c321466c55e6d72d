import { type Connection } from "./build.ts";
import { migrations } from "./migrations.ts";

/** Any number that no other program locks in the same database. */
const migrationLock = 7_236_401_925;

const createVersion = "CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)";

/**
 * Lifts the database to `newest`, inside the caller's transaction: all of it or nothing. Nodes that start at once
 * queue up for the lock, and all but the first find nothing left to do.
 */
export async function migrate(connection: Connection, newest: number = migrations.length): Promise<void> {
  await connection.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
  await connection.query(createVersion);
  const { rows } = await connection.query<{ version: number }>("SELECT version FROM schema_version");
  const version = rows[0]?.version ?? 0;
  if (version > newest) {
    throw new Error(
      `The database has version ${version} and this server knows ${newest}: run a newer server, or restore a backup.`,
    );
  }
  for (const migration of migrations.slice(version, newest)) await connection.query(migration);
  if (rows.length === 0) await connection.query("INSERT INTO schema_version VALUES ($1)", [newest]);
  else if (version < newest) await connection.query("UPDATE schema_version SET version = $1", [newest]);
}
