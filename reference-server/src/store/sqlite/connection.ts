import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import Database from "better-sqlite3";
import { assertSchema, type SchemaChange } from "../store-errors.ts";
import { migrations, schema, schemaVersion } from "./migrations.ts";

export type Connection = Database.Database;

/** How the store's methods run their statements. */
export interface Access {
  connection: Connection;
  /** Runs statements that change nothing. */
  read<T>(run: () => T): Promise<T>;
  /** Runs statements in one transaction; resolves when it is on disk. */
  write<T>(run: () => T): Promise<T>;
}

/** 16 MB of log: a page that many submits change is moved into the database once for all of them. */
const pagesPerCheckpoint = 4000;

function assertDurable(connection: Connection): void {
  const synchronous = connection.pragma("synchronous", { simple: true });
  if (synchronous !== 2) throw new Error(`SQLite refused synchronous=FULL and has ${String(synchronous)}.`);
  const journal = connection.pragma("journal_mode", { simple: true });
  if (journal !== "wal") throw new Error(`SQLite refused the WAL journal mode and has ${String(journal)}.`);
}

/**
 * SQLite's temporary pages can hold people's answers. As files they would be in a temporary folder, which erasures do not
 * reach and a small container may not have.
 */
function keepOffOtherFolders(connection: Connection): void {
  connection.pragma("temp_store = MEMORY");
}

const versionOf = (connection: Connection) => ({
  version: connection.pragma("user_version", { simple: true }) as number,
});

/** @throws SchemaMismatch when the database is of another version and may not be changed */
function migrate(connection: Connection, steps: readonly string[], change: SchemaChange): void {
  connection
    .transaction(() => {
      // Read inside the transaction: several processes may start at once.
      const { version } = versionOf(connection);
      const newest = steps.length + 1;
      assertSchema({ version }, newest, change);
      if (version === 0) connection.exec(schema());
      for (const step of steps.slice((version || schemaVersion) - 1)) connection.exec(step);
      if (version < newest) connection.pragma(`user_version = ${newest}`);
    })
    .immediate();
}

/** Makes an empty database where there is none. */
export function createFile(path: string): void {
  if (existsSync(path)) return;
  // It holds people's answers. SQLite gives the files beside it the same permissions.
  closeSync(openSync(path, "a", 0o600));
}

/** Puts a file, or the names in a folder, on disk. */
export function flush(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/**
 * Opens the writing connection: WAL, every commit on disk before it is answered, freed space overwritten.
 * The driver's own default would let a power cut take back an acknowledged answer.
 */
export function openConnection(
  path: string,
  change: SchemaChange = "migrate",
  steps: readonly string[] = migrations,
): Connection {
  createFile(path);
  const connection = new Database(path, { timeout: 5000 });
  try {
    // Before anything is written: it may be another program's database.
    if (change === "none") assertSchema(versionOf(connection), steps.length + 1, change);
    connection.pragma("journal_mode = WAL");
    connection.pragma("synchronous = FULL");
    connection.pragma("secure_delete = ON");
    // The log grows while a reader holds it, and would keep that size.
    connection.pragma("journal_size_limit = 67108864");
    connection.pragma(`wal_autocheckpoint = ${pagesPerCheckpoint}`);
    connection.pragma("foreign_keys = ON");
    connection.pragma("cache_size = -32000");
    keepOffOtherFolders(connection);
    assertDurable(connection);
    if (change !== "none") migrate(connection, steps, change);
    // From here on writers wait between attempts, without blocking the process.
    connection.pragma("busy_timeout = 0");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** A connection of its own for a long read, so that its snapshot holds while others write. */
export function openReader(path: string): Connection {
  const connection = new Database(path, { readonly: true, timeout: 1000 });
  connection.pragma("cache_size = -8000");
  keepOffOtherFolders(connection);
  return connection;
}
