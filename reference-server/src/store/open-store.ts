import { isPostgresUrl } from "./postgres/database-url.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { type SchemaChange } from "./schema-change.ts";
import { openingError } from "./sqlite/opening-error.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { type Store } from "./store.ts";

/**
 * Opens the database that a text names: the path of a SQLite file, `:memory:`, or `postgres://…`.
 *
 * @param change what may be done to its schema; by default an older one is lifted to the newest
 * @throws Error when the database cannot be used, with what to do about it
 */
export async function openStore(database: string, change: SchemaChange = "migrate"): Promise<Store> {
  if (isPostgresUrl(database)) return openPostgresStore(database, change);
  try {
    return openSqliteStore(database, change);
  } catch (error) {
    throw openingError(error, database);
  }
}
