import Database from "better-sqlite3";
import { UnusableDatabase } from "../unusable-database.ts";
import { isBusy } from "./sqlite-error.ts";

/** What the name of the lock's file ends with, behind the database's. */
export const servingLockEnd = ".serving";

/**
 * Keeps a second server off a database file until the returned function is called or the process ends, however it ends.
 * The lock is SQLite's own, on an empty file beside the database, which commands may use meanwhile. The file stays:
 * removing it would let two servers hold locks on two files of one name.
 *
 * @throws UnusableDatabase while another server holds it
 */
export function lockForServing(database: string): () => void {
  const lock = new Database(database + servingLockEnd, { timeout: 0 });
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
