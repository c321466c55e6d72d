import { existsSync } from "node:fs";
import { type ErasureLogFile, openErasureLog } from "../operations/erasure-log-file.ts";
import { UsageError } from "../domain/usage-error.ts";
import { type Service } from "../domain/service.ts";
import { masterKey } from "../config/master-key.ts";
import { openService } from "../program/open-service.ts";
import { databasePlace, openStore } from "../store/open-store.ts";
import { type SchemaChange } from "../store/schema-change.ts";
import { type Store } from "../store/store.ts";
import { type DatabaseFlags } from "./database-flags.ts";
import { type Terminal } from "./terminal.ts";

export interface ServiceFlags extends DatabaseFlags {
  erasureLog?: string;
}

export interface ServiceUse {
  /**
   * What may be done to the schema; `create` also makes a file that is not there. Default: nothing,
   * since an older server may be working on it.
   */
  change?: SchemaChange;
  /** A file that is opened in the place of the database, whose key it has: what is about to become the database. */
  file?: string;
}

/** A misspelt path must not become an empty database. */
function checkDatabase({ db }: DatabaseFlags, use: ServiceUse): void {
  const { kind } = databasePlace(db);
  if (kind === "memory")
    throw new UsageError("A database in memory is gone when the command ends: give --db a path.");
  if (kind === "server" || use.change === "create" || existsSync(use.file ?? db)) return;
  throw new UsageError(
    `There is no database ${db}: give its path by --db, or begin with \`project create\`.`,
  );
}

/** Decision D104: it goes when nobody reads it any more, and this process cannot wait for that. */
const heldText = (file: string) =>
  `What was erased is still in ${file}-wal, which an export or a backup reads. The next command after that one has ` +
  "ended takes it off the disk: run `doctor` then, for example. A server's nightly retention does so, too.";

/** Opens the service for one command, beside a running server or alone, and closes it whatever happens. */
export async function withService<T>(
  flags: ServiceFlags,
  terminal: Terminal,
  run: (service: Service) => Promise<T>,
  use: ServiceUse = {},
): Promise<T> {
  checkDatabase(flags, use);
  let erasureLog: ErasureLogFile | undefined;
  let store: Store | undefined;
  try {
    erasureLog = flags.erasureLog === undefined ? undefined : openErasureLog(flags.erasureLog);
    store = await openStore(use.file ?? flags.db, use.change ?? "none");
    const { key } = await masterKey({
      given: terminal.environment["AFTERWORD_MASTER_KEY"],
      keyFile: flags.keyFile,
      database: flags.db,
      store,
    });
    const { service } = await openService({
      store,
      config: { projects: [] },
      clock: terminal.clock,
      masterKey: key,
      erasureLog,
    });
    return await run(service);
  } finally {
    await store?.close();
    await erasureLog?.close();
    if (store?.administration.isErasedTextHeld?.()) terminal.complain(heldText(use.file ?? flags.db));
  }
}
