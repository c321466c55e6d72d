import Database from "better-sqlite3";
import { codeOf, isBusy, UnusableDatabase } from "@afterword/reference-server/internal";

export const isDamage = (error: unknown) => /^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error));

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
