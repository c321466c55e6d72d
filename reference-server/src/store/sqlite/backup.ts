import { chmodSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { flush } from "../flush.ts";
import { besideDatabase } from "./restore.ts";
import { storeError } from "./sqlite-error.ts";
import { type Connection } from "./connection.ts";

/** Enough to go on quickly, few enough to let requests in between. */
const pagesPerStep = 1000;

/** With its journal, which a full disk leaves behind: SQLite would roll it back into the next copy. */
function removeCopy(path: string): void {
  for (const rest of ["", ...besideDatabase]) rmSync(path + rest, { force: true });
}

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
  removeCopy(unfinished);
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
    removeCopy(unfinished);
    throw storeError(error);
  }
}
