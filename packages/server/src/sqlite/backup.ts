import { closeSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { flush, openReader, storeError } from "@afterword/reference-server/internal";
import { type BackupOptions } from "../store/administration.ts";
import { checkBackup, removeDatabase } from "./restore.ts";

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
