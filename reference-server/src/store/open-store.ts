import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { type Store } from "./store.ts";

/** Opens the database that a text names: the path of a SQLite file, or `:memory:`. */
export async function openStore(database: string): Promise<Store> {
  return openSqliteStore(database);
}
