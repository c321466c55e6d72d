import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import { UnusableDatabase } from "../unusable-database.ts";
import { codeOf, isBusy } from "./sqlite-error.ts";
import { migrations } from "./migrations.ts";

/** Suffixes of the files that SQLite keeps beside a database. */
export const besideDatabase = ["-wal", "-shm", "-journal"] as const;

/** Also its journal, which a full disk leaves behind: SQLite would roll it back into the next file of that name. */
export function removeDatabase(path: string): void {
  for (const rest of ["", ...besideDatabase, ".reserve"]) rmSync(path + rest, { force: true });
}

const isDamage = (error: unknown) => /^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error));

function faultOf(copy: string): string | undefined {
  let connection: Database.Database | undefined;
  try {
    connection = new Database(copy);
    const version = connection.pragma("user_version", { simple: true }) as number;
    const integrity = connection.pragma("quick_check(1)", { simple: true });
    if (integrity !== "ok") return `is damaged: ${String(integrity)}`;
    if (version === 0) return "is not a database of this server.";
    return version > migrations.length ? "is from a newer server: install that one." : undefined;
  } catch (error) {
    const { message } = error as Error;
    if (codeOf(error) === "SQLITE_NOTADB") return `is not a SQLite database: ${message}`;
    return `${isDamage(error) ? "is damaged" : "cannot be checked"}: ${message}`;
  } finally {
    connection?.close();
  }
}

/**
 * Checks a copy of a backup, since SQLite writes beside what it reads and a backup may be in a read-only folder.
 * @throws UnusableDatabase when it is damaged, of a newer server, or no database of this service
 */
export function checkBackup(copy: string, backup: string): void {
  const fault = faultOf(copy);
  if (fault !== undefined) throw new UnusableDatabase(`${backup} ${fault}`);
}

/**
 * Locks a database against all reads and writes by others until the returned function is called.
 * @throws UnusableDatabase while another process has it open
 */
export function holdAlone(path: string): () => void {
  const connection = new Database(path, { timeout: 0 });
  try {
    // Leaving WAL mode fails while another connection has the file open, and leaves a single file.
    connection.pragma("journal_mode = DELETE");
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    // A damaged database needs no lock: it is the reason to restore a backup.
    if (isDamage(error)) return () => void connection.close();
    connection.close();
    const fault = isBusy(error)
      ? "is in use: stop the server first"
      : `cannot be locked: ${(error as Error).message}`;
    throw new UnusableDatabase(`${path} ${fault}.`, { cause: error });
  }
  return () => void connection.close();
}

/** @throws UnusableDatabase while another process has the database open */
export function lockAlone(path: string): void {
  holdAlone(path)();
}
