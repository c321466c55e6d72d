import { chmodSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { flush } from "../flush.ts";
import { removeDatabase } from "./restore.ts";
import { storeError } from "./sqlite-error.ts";
import { type Connection } from "./connection.ts";

/** Enough to go on quickly, few enough to let requests in between. */
const pagesPerStep = 1000;

/**
 * Copies the database by SQLite's own online backup: the copy is one consistent state, although others go on writing.
 * It gets its name only when it is whole and on disk.
 */
export async function backup(
  connection: Connection,
  file: string,
  onProgress: (copied: number, total: number) => void = () => undefined,
): Promise<void> {
  const unfinished = `${file}.unfinished`;
  removeDatabase(unfinished);
  try {
    await connection.backup(unfinished, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages);
        return pagesPerStep;
      },
    });
    chmodSync(unfinished, 0o600);
    flush(unfinished);
    renameSync(unfinished, file);
    flush(dirname(file));
  } catch (error) {
    removeDatabase(unfinished);
    throw storeError(error);
  }
}
