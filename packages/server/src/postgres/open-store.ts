import {
  assertNodeVersion,
  databasePlace,
  isPostgresUrl,
  openSqlite,
  type SchemaChange,
} from "@afterword/reference-server/internal";
import { operated } from "../sqlite/administration.ts";
import { type OperatedStore } from "../store/administration.ts";
import { openPostgresStore } from "./postgres-store.ts";

/** As `openStore` of the entry point, with what operating the service needs. */
export async function openStore(database: string, change: SchemaChange = "migrate"): Promise<OperatedStore> {
  assertNodeVersion();
  if (isPostgresUrl(database)) return openPostgresStore(database, change);
  return operated(await openSqlite(database, change), databasePlace(database).kind === "file");
}
