import { isPostgresUrl } from "./postgres/database-url.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { type SchemaChange } from "./schema-change.ts";
import { openingError } from "./sqlite/opening-error.ts";
import { besideDatabase } from "./sqlite/restore.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { type Store } from "./store.ts";

/** Where a database is: gone with its process, in a file with others beside it, or on a server of its own. */
export type DatabasePlace =
  | { kind: "memory" }
  | { kind: "server" }
  | {
      kind: "file";
      /** The master key, made at the first start unless another one is given. */
      keyFile: string;
      /** Every file that belongs to the database, the database first. */
      files: readonly string[];
    };

/** The place that a `--db` value names; nothing is opened, and the files need not exist. */
export function databasePlace(database: string): DatabasePlace {
  if (database === ":memory:") return { kind: "memory" };
  if (isPostgresUrl(database)) return { kind: "server" };
  const ends = ["", ...besideDatabase, ".key", ".reserve", ".incoming"];
  return { kind: "file", keyFile: `${database}.key`, files: ends.map((end) => database + end) };
}

/**
 * Opens the database that a text names: the path of a SQLite file, `:memory:`, or `postgres://…`.
 *
 * @param change what may be done to its schema; by default an older one is lifted to the newest
 * @throws UnusableDatabase with what to do about it, or StoreUnavailable
 */
export async function openStore(database: string, change: SchemaChange = "migrate"): Promise<Store> {
  if (databasePlace(database).kind === "server") return openPostgresStore(database, change);
  try {
    return openSqliteStore(database, change);
  } catch (error) {
    throw openingError(error, database);
  }
}
