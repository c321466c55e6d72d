import { statSync } from "node:fs";
import { StoreUnavailable } from "../store-errors.ts";

/** Device and number of what is at a path, links followed; `undefined` where nothing is. */
export function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * Notes which files a database consists of while it is open. What is written to a file that is no longer at its path is lost
 * with the process, and SQLite writes to it without an error.
 * @returns a check that throws StoreUnavailable until each file is at its path again
 */
export function watchPlace(path: string): () => void {
  const files = () => ["", "-wal", "-shm"].map((end) => identityOf(path + end)).join();
  const opened = files();
  return () => {
    if (files() === opened) return;
    throw new StoreUnavailable(
      `the file ${path}, or its -wal or -shm, was moved, replaced or removed while it was open. Put back the same files, or ` +
        "restart the server to go on with what is there.",
    );
  };
}
