import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { backup } from "./backup.ts";
import { migrations } from "./migrations.ts";

/** Where the copy is: one name, so that each upgrade replaces the copy of the one before. */
export const copyBeforeUpgradeEnd = ".before-upgrade";

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
 * Copies a database that is about to be migrated, since the version before refuses the migrated one.
 * @returns the copy; `undefined` where there is nothing to migrate
 */
export async function copyBeforeUpgrade(
  path: string,
  newest = migrations.length,
): Promise<string | undefined> {
  const version = versionOf(path);
  if (version === 0 || version >= newest) return undefined;
  const copy = path + copyBeforeUpgradeEnd;
  await backup(path, copy, { mostLogBytes: Infinity });
  return copy;
}
