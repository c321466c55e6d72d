import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockAlone } from "./restore.ts";

const prefix = "afterword-memory-";
const file = "afterword.db";
/** Between making its folder and locking its database a process needs far less. */
const youngInMs = 60_000;

/** A database file that nobody else knows, for as long as a process lives. */
export interface PrivateFile {
  path: string;
  remove: () => void;
}

const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** Whether a folder was left behind by a process that was killed: nobody holds its database. */
function isLeftOver(folder: string, own: { uid: number; mtimeMs: number }): boolean {
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== own.uid || found.mtimeMs > own.mtimeMs - youngInMs) return false;
  // The lock of SQLite, not the number of a process: that may be another's by now, or one of another container.
  lockAlone(join(folder, file));
  return true;
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
