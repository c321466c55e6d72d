import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import {
  besideDatabase,
  codeOf,
  schemaVersion,
  UnusableDatabase,
} from "@afterword/reference-server/internal";
import { isDamage } from "./hold-alone.ts";

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
