import { existsSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { databasePlace, schemaVersion, openingError } from "@afterword/reference-server/internal";
import { backup } from "./backup.ts";

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
