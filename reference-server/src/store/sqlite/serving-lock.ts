import { realpathSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { UnusableDatabase } from "../unusable-database.ts";
import { createFile } from "./connection.ts";
import { isBusy } from "./sqlite-error.ts";

/** What the name of the lock's file ends with, behind the database's. */
export const servingLockEnd = ".serving";

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
export function lockForServing(database: string): () => void {
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
