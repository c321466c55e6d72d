import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { assertNodeVersion } from "./node-version.ts";
import { createFile } from "./sqlite/connection.ts";
import { isBusy, openingError } from "./sqlite/sqlite-error.ts";
import { openSqliteStore, type OpenSqlite } from "./sqlite/sqlite-store.ts";
import { type Store } from "./store.ts";
import { type SchemaChange, UnusableDatabase } from "./store-errors.ts";

/** The suffix of the lock's file, behind the database's name. */
const servingLockEnd = ".serving";

/**
 * SQLite keeps a log beside each name of a file. With two names of one file there are two logs, which damage the database;
 * nor would a lock beside one name hold for the other. Symbolic links are followed, by SQLite too.
 */
function assertOneName(database: string): void {
  const { nlink } = statSync(database);
  if (nlink <= 1) return;
  throw new UnusableDatabase(
    `The file ${database} has ${nlink} names (hard links), which damages a SQLite database that is opened by two of them: ` +
      "keep one name, and replace the others by symbolic links, or by copies that `backup` makes.",
  );
}

/**
 * Keeps a second server off a database file until the returned function is called or the process ends, however it ends.
 * The lock is SQLite's own, on an empty file beside the database, which commands may use meanwhile. The file stays:
 * removing it would let two servers hold locks on two files of one name. A database that does not exist is made, empty.
 *
 * @throws UnusableDatabase while another server holds it
 */
function lockForServing(database: string): () => void {
  createFile(database);
  assertOneName(database);
  const lock = new Database(realpathSync(database) + servingLockEnd, { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new UnusableDatabase(
      `Another server already serves ${database}: stop it first, or use PostgreSQL for several servers.`,
      { cause: error },
    );
  }
  return () => void lock.close();
}

/** A database is in memory, in a file with others beside it, or on a database server. */
export type DatabasePlace =
  | { kind: "memory" }
  | { kind: "server" }
  | {
      kind: "file";
      /** The master key, made at the first start unless another one is given. */
      keyFile: string;
      /** Every file that belongs to the database, the database first. */
      files: readonly string[];
    };

export function isPostgresUrl(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** Suffixes of the files that SQLite keeps beside a database. */
export const besideDatabase = ["-wal", "-shm", "-journal"] as const;

/** The place that a `--db` value names; nothing is opened, and the files need not exist. */
export function databasePlace(database: string): DatabasePlace {
  if (database === ":memory:") return { kind: "memory" };
  if (isPostgresUrl(database)) return { kind: "server" };
  const ends = ["", ...besideDatabase, ".key", ".reserve", ".incoming", servingLockEnd];
  return { kind: "file", keyFile: `${database}.key`, files: ends.map((end) => database + end) };
}

/**
 * Keeps other servers off a database until the returned function is called. Only a file needs it: PostgreSQL serves many.
 * Call it before `openStore`, which may change the schema under the other server.
 * @throws UnusableDatabase while another server holds it
 */
export function holdForServing(database: string): () => void {
  if (databasePlace(database).kind !== "file") return () => undefined;
  return opening(database, () => lockForServing(database));
}

/** Runs what opens a file, and says what an operator can do about its errors. */
function opening<T>(database: string, open: () => T): T {
  if (!existsSync(dirname(database)))
    throw new UnusableDatabase(`The folder of the database ${database} does not exist.`);
  try {
    return open();
  } catch (error) {
    throw openingError(error, database);
  }
}

/** As `openStore`, with the connection, for statements of others on it. */
export async function openSqlite(database: string, change: SchemaChange = "migrate"): Promise<OpenSqlite> {
  assertNodeVersion();
  if (isPostgresUrl(database))
    throw new UnusableDatabase("This server is for SQLite. For PostgreSQL, take @afterword/server.");
  return opening(database, () => openSqliteStore(database, change));
}

/**
 * Opens the SQLite database that a text names: the path of a file, or `:memory:`.
 *
 * @param change what may be done to its schema; by default an older one is lifted to the newest
 * @throws UnusableDatabase with what to do about it, StoreUnavailable, or Error on an older Node
 */
export async function openStore(database: string, change?: SchemaChange): Promise<Store> {
  return (await openSqlite(database, change)).store;
}
