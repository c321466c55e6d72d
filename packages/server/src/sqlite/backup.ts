import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import {
  besideDatabase,
  codeOf,
  databasePlace,
  flush,
  isBusy,
  openingError,
  openReader,
  schemaVersion,
  storeError,
  UnusableDatabase,
} from "@afterword/reference-server/internal";
import { type BackupOptions } from "../store/administration.ts";

const isDamage = (error: unknown) => /^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error));

/** Also its journal, which a full disk leaves behind: SQLite would roll it back into the next file of that name. */
export function removeDatabase(path: string): void {
  for (const rest of ["", ...besideDatabase, ".reserve"]) rmSync(path + rest, { force: true });
}

function faultOf(copy: string): string | undefined {
  let connection: Database.Database | undefined;
  try {
    connection = new Database(copy);
    const version = connection.pragma("user_version", { simple: true }) as number;
    const integrity = connection.pragma("quick_check(1)", { simple: true });
    if (integrity !== "ok") return `is damaged: ${String(integrity)}`;
    if (version === 0) return "is not a database of this server.";
    return version > schemaVersion ? "is from a newer server: install that one." : undefined;
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

/** 4 MB: enough to go on quickly, few enough to look at the log and at Ctrl-C in between. */
const pagesPerStep = 1000;
const mebibyte = 1024 * 1024;

function assertLogFits(log: string, mostLogBytes: number): void {
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes < mostLogBytes) return;
  throw new Error(
    `The write-ahead log ${log} reached ${Math.floor(bytes / mebibyte)} MiB, the limit of --max-wal, before the copy was ` +
      "complete. Run the backup while less is written or on a faster disk, or raise --max-wal if the disk has room.",
  );
}

/**
 * Copies in steps from one read transaction. Without it SQLite would begin again with each commit of another process; with it
 * the log grows by what is written meanwhile.
 */
async function copySnapshot(path: string, copy: string, options: BackupOptions): Promise<void> {
  const { mostLogBytes, onProgress = () => undefined } = options;
  const reader = openReader(path);
  try {
    reader.exec("BEGIN");
    // A transaction begins with its first read.
    reader.pragma("schema_version");
    await reader.backup(copy, {
      progress: ({ totalPages, remainingPages }) => {
        assertLogFits(`${path}-wal`, mostLogBytes);
        onProgress(totalPages - remainingPages, totalPages);
        return pagesPerStep;
      },
    });
  } finally {
    reader.close();
  }
}

/** Copies the database while others write, and checks the copy. It gets its name only when it is whole and on disk. */
export async function backup(path: string, file: string, options: BackupOptions): Promise<void> {
  const unfinished = `${file}.unfinished`;
  removeDatabase(unfinished);
  try {
    // Before SQLite makes it: every account could read that until the end.
    closeSync(openSync(unfinished, "wx", 0o600));
    await copySnapshot(path, unfinished, options);
    // After the transaction has ended: a check of a large copy takes as long as copying it.
    checkBackup(unfinished, `The copy ${unfinished}`);
    flush(unfinished);
    renameSync(unfinished, file);
    removeDatabase(unfinished);
    flush(dirname(file));
  } catch (error) {
    removeDatabase(unfinished);
    throw storeError(error);
  }
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

function versionOf(path: string): number {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return 0;
  const connection = new Database(path, { readonly: true, timeout: 5000 });
  try {
    return connection.pragma("user_version", { simple: true }) as number;
  } finally {
    connection.close();
  }
}

/**
 * Copies a SQLite file that `openStore` is about to migrate, since the version before refuses the migrated one. PostgreSQL has
 * its own backups, and may have no room for a copy.
 * @returns what an operator has to know of the copy; `undefined` where there is nothing to migrate or no file
 * @throws StoreUnavailable when the disk has no room for it, and UnusableDatabase
 */
export async function copyBeforeUpgrade(
  database: string,
  newest = schemaVersion,
): Promise<string | undefined> {
  if (databasePlace(database).kind !== "file") return undefined;
  try {
    const version = versionOf(database);
    if (version === 0 || version >= newest) return undefined;
    // One name, so that each upgrade replaces the copy of the one before.
    const copy = `${database}.before-upgrade`;
    await backup(database, copy, { mostLogBytes: Infinity });
    return `The database was migrated. ${copy} is how it was before, with what people said: delete it once this version works.`;
  } catch (error) {
    throw openingError(error, database);
  }
}

/** Whether a place has a master key and no data: its database was moved, or its disk is not mounted. */
export function hasKeyWithoutData(database: string): boolean {
  const place = databasePlace(database);
  if (place.kind !== "file" || !existsSync(place.keyFile)) return false;
  return !existsSync(database) || statSync(database).size === 0;
}
