import { existsSync } from "node:fs";
import { openAuditFile } from "../audit/open-audit-trail.ts";
import { openErasureLog } from "../audit/erasure-log-file.ts";
import {
  databasePlace,
  givenMasterKeys,
  type MasterKey,
  masterKeyPlace,
  type MasterKeyPlace,
  MasterKeys,
  openService,
  type SchemaChange,
  UsageError,
} from "@afterword/reference-server/internal";
import { type OperatedService, operatedService } from "../administration/operated-service.ts";
import { openStore } from "../postgres/open-store.ts";
import { copyBeforeUpgrade, migratedFrom } from "../sqlite/copy-before-upgrade.ts";
import { type OperatedStore } from "../store/administration.ts";
import { checkAgainstRecorded, checkServerFiles } from "../health/server-files.ts";
import { type DatabaseFlags } from "./database-flags.ts";
import { type Terminal } from "./terminal.ts";

export interface ServiceFlags extends DatabaseFlags {
  erasureLog?: string;
}

export interface ServiceUse {
  /**
   * Allowed schema changes; `create` also creates a missing file. Default: none, because an older server may be
   * running on it.
   */
  change?: SchemaChange;
  /** A file to open instead of the database, with the same key: the copy that will replace it. */
  file?: string;
}

/** A misspelt path must not become an empty database. */
function checkDatabase({ db }: DatabaseFlags, use: ServiceUse): void {
  const { kind } = databasePlace(db);
  if (kind === "memory")
    throw new UsageError("A database in memory is lost when the command ends: pass a path as --db.");
  if (kind === "server" || use.change === "create" || existsSync(use.file ?? db)) return;
  throw new UsageError(
    `The database ${db} does not exist: pass its path as --db, or start with \`project create\`.`,
  );
}

/** Truncation must wait for the readers, which this process cannot do. */
const heldText = (file: string) =>
  `The erased data is still in ${file}-wal, because an export or a backup is reading it. The next command after that one ` +
  "removes it from the disk, for example `doctor`. A server's nightly retention does, too.";

/** Opens the service for one command, with or without a running server, and always closes it. */
export async function withService<T>(
  flags: ServiceFlags,
  terminal: Terminal,
  run: (service: OperatedService, masterKeyPlace: MasterKeyPlace) => Promise<T>,
  use: ServiceUse = {},
): Promise<T> {
  checkDatabase(flags, use);
  checkServerFiles(flags, flags.db, flags.keyFile);
  // Before the act, which is not to happen without its line.
  if (flags.auditFile !== undefined) openAuditFile(flags.auditFile, terminal.clock);
  let store: OperatedStore | undefined;
  try {
    const erasureLog = flags.erasureLog === undefined ? undefined : openErasureLog(flags.erasureLog);
    const isMigrating = use.change === "migrate" && use.file === undefined;
    const copy = isMigrating ? await copyBeforeUpgrade(flags.db) : undefined;
    store = await openStore(use.file ?? flags.db, use.change ?? "none");
    await checkAgainstRecorded(store, flags);
    if (copy !== undefined) terminal.complain(migratedFrom(copy));
    const { clock } = terminal;
    const place = masterKeyPlace({
      given: terminal.environment["AFTERWORD_MASTER_KEY"],
      keyFile: flags.keyFile,
      database: flags.db,
      store,
      clock,
    });
    const { service } = await openService({
      store,
      config: { projects: [] },
      clock,
      masterKeys: await MasterKeys.open(store, place.read, clock),
    });
    return await run({ ...(await operatedService(service, store)), erasureLog }, place);
  } finally {
    // What follows is the command's result.
    terminal.showProgress("");
    await store?.close();
    if (store?.administration.isErasedTextHeld?.()) terminal.complain(heldText(use.file ?? flags.db));
  }
}

/** The master keys of a command that does not open the service. PostgreSQL may keep its own. @throws UsageError without one */
export async function masterKeysOf(
  flags: DatabaseFlags,
  terminal: Terminal,
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
