import {
  databasePlace,
  givenMasterKeys,
  type MasterKey,
  masterKeyPlace,
  type SchemaChange,
  UsageError,
} from "@afterword/reference-server/internal";
import { openStore } from "../postgres/open-store.ts";
import { type Run } from "./define-command.ts";

/** The master keys of a command that does not open the service. PostgreSQL may keep its own. @throws UsageError without one */
export async function masterKeysOf(
  { flags, terminal }: Run,
  change: SchemaChange = "none",
): Promise<readonly MasterKey[]> {
  const { db: database, keyFile } = flags;
  const keys = givenMasterKeys({ given: terminal.environment["AFTERWORD_MASTER_KEY"], keyFile, database });
  if (keys.length > 0) return keys;
  if (databasePlace(database).kind !== "server")
    throw new UsageError("The master key is needed: pass --key-file, --db or AFTERWORD_MASTER_KEY.");
  const store = await openStore(database, change);
  try {
    return await masterKeyPlace({ database, store, clock: terminal.clock }).read();
  } finally {
    await store.close();
  }
}
