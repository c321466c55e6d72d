import { isPostgresUrl } from "./postgres/database-url.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { type Store } from "./store.ts";

/** Opens the database that a text names: the path of a SQLite file, `:memory:`, or `postgres://…`. */
export async function openStore(database: string): Promise<Store> {
  return isPostgresUrl(database) ? openPostgresStore(database) : openSqliteStore(database);
}
