import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { isBusy } from "./sqlite-error.ts";

const prefix = "afterword-memory-";
const file = "afterword.db";
/** A process locks its database long before its folder is this old. */
const youngInMs = 60_000;

/** A database file for this process alone, as long as it lives. */
export interface PrivateFile {
  path: string;
  remove: () => void;
}

const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** Whether a folder was left behind by a killed process: its database is not locked. */
function isLeftOver(folder: string, own: { uid: number; mtimeMs: number }): boolean {
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== own.uid || found.mtimeMs > own.mtimeMs - youngInMs) return false;
  // SQLite's lock, not a process id: ids are reused, and differ between containers.
  const connection = new Database(join(folder, file), { timeout: 0 });
  try {
    // Leaving WAL mode fails while another connection has the file open.
    connection.pragma("journal_mode = DELETE");
    return true;
  } catch (error) {
    return !isBusy(error);
  } finally {
    connection.close();
  }
}

/**
 * Makes a file in a folder of its own, and removes what killed processes of the same account have left: a process that
 * is killed cannot, and SQLite opens a database by its name each time, so the name must stay while it is used.
 */
export function privateFile(base: string = tmpdir()): PrivateFile {
  const folder = mkdtempSync(join(base, prefix));
  const own = lstatSync(folder);
  for (const name of readdirSync(base)) {
    const other = join(base, name);
    if (!name.startsWith(prefix) || other === folder) continue;
    try {
      if (isLeftOver(other, own)) removeFolder(other);
    } catch {
      // In use, or another process is removing it at this moment.
    }
  }
  return { path: join(folder, file), remove: () => removeFolder(folder) };
}
