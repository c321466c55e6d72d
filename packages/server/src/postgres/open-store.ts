import {
  assertNodeVersion,
  isPostgresUrl,
  openStore as openSqlite,
  type SchemaChange,
  type Store,
} from "@afterword/reference-server/internal";
import { openPostgresStore } from "./postgres-store.ts";

/**
 * Opens the database that a text names: the path of a SQLite file, `:memory:`, or `postgres://…`.
 *
 * @param change what may be done to its schema; by default an older one is lifted to the newest
 * @param nodeVersion on an older Node than the supported ones, SQLite's driver ends the process without a message
 * @throws UnusableDatabase with what to do about it, StoreUnavailable, or Error on an older Node
 */
export async function openStore(
  database: string,
  change: SchemaChange = "migrate",
  nodeVersion = process.version,
): Promise<Store> {
  assertNodeVersion(nodeVersion);
  return isPostgresUrl(database) ? openPostgresStore(database, change) : openSqlite(database, change);
}
