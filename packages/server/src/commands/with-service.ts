import { existsSync } from "node:fs";
import { type ChainKey } from "../audit/audit-chain.ts";
import { Audit, type AuditTrail } from "../audit/audit-trail.ts";
import { openAuditTrail } from "../audit/open-audit-trail.ts";
import { openErasureLog } from "../audit/erasure-log.ts";
import {
  databasePlace,
  givenMasterKeys,
  type MasterKey,
  masterKeyPlace,
  type MasterKeyPlace,
  MasterKeys,
  newRecordId,
  openService,
  type SchemaChange,
  UsageError,
} from "@afterword/reference-server/internal";
import { type OperatedService, operatedService } from "../administration/operated-service.ts";
import { openStore } from "../postgres/open-store.ts";
import { copyBeforeUpgrade } from "../sqlite/backup.ts";
import { type OperatedStore } from "../store/administration.ts";
import { checkAgainstRecorded, checkServerFiles } from "../health/server-files.ts";
import { type DatabaseFlags } from "./flags.ts";
import { type Terminal } from "./terminal.ts";

/** One run of a command: its process and its flags. */
export interface Run<Flags extends object = DatabaseFlags> extends Terminal {
  flags: Flags;
  /** As typed, for example `project purge`. */
  command: string;
}

/** A run that has opened the database. */
export interface Session<Flags extends object = DatabaseFlags> extends Run<Flags> {
  service: OperatedService;
  masterKeyPlace: MasterKeyPlace;
  audit: Audit;
}

interface ServiceFlags extends DatabaseFlags {
  erasureLog?: string;
}

interface ServiceUse {
  /**
   * Allowed schema changes; `create` also creates a missing file. Default: none, because an older server may be
   * running on it.
   */
  change?: SchemaChange;
  /** A file to open instead of the database, with the same key: the copy that will replace it. */
  file?: string;
}

/** Opens the audit file or, without one, standard error. @throws UsageError for a file that cannot be written */
export const trailOf = ({ flags, log, clock }: Run) => openAuditTrail(flags.auditFile, log, clock);

/** Writes the audit lines of a run to the trail, chained if there is a key. */
export function auditOf(run: Run, trail: AuditTrail, key?: ChainKey): Audit {
  const { command, operator, host, clock } = run;
  if (key) trail.chain?.use(key);
  return new Audit(trail, { act: newRecordId(clock.now()), command, operator, host });
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

const keyPlace = ({ flags, environment }: Run) => ({
  given: environment["AFTERWORD_MASTER_KEY"],
  keyFile: flags.keyFile,
  database: flags.db,
});

/** Opens the service for one command, with or without a running server, and always closes it. */
export async function withService<Flags extends ServiceFlags, Result>(
  run: Run<Flags>,
  work: (session: Session<Flags>) => Promise<Result>,
  use: ServiceUse = {},
): Promise<Result> {
  const { flags, clock, complain } = run;
  checkDatabase(flags, use);
  checkServerFiles(flags, flags.db, flags.keyFile);
  // Before the act, which is not to happen without its line.
  const trail = trailOf(run);
  let store: OperatedStore | undefined;
  try {
    const erasureLog = flags.erasureLog === undefined ? undefined : openErasureLog(flags.erasureLog);
    const isMigrating = use.change === "migrate" && use.file === undefined;
    const notice = isMigrating ? await copyBeforeUpgrade(flags.db) : undefined;
    store = await openStore(use.file ?? flags.db, use.change ?? "none");
    await checkAgainstRecorded(store, flags);
    if (notice !== undefined) complain(notice);
    const place = masterKeyPlace({ ...keyPlace(run), store, clock });
    const masterKeys = await MasterKeys.open(store, place.read, clock);
    const opened = await openService({ store, config: { projects: [] }, clock, masterKeys });
    const service = { ...operatedService(opened.service, store), erasureLog };
    const audit = auditOf(run, trail, masterKeys.current);
    return await work({ ...run, service, masterKeyPlace: place, audit });
  } finally {
    // What follows is the command's result.
    run.showProgress("");
    await store?.close();
    if (store?.administration.isErasedTextHeld?.()) complain(heldText(use.file ?? flags.db));
  }
}

/** The master keys of a command that does not open the service. PostgreSQL may keep its own. @throws UsageError without one */
export async function masterKeysOf(run: Run, change: SchemaChange = "none"): Promise<readonly MasterKey[]> {
  const place = keyPlace(run);
  const keys = givenMasterKeys(place);
  if (keys.length > 0) return keys;
  const { database } = place;
  if (databasePlace(database).kind !== "server")
    throw new UsageError("The master key is needed: pass --key-file, --db or AFTERWORD_MASTER_KEY.");
  const store = await openStore(database, change);
  try {
    return await masterKeyPlace({ database, store, clock: run.clock }).read();
  } finally {
    await store.close();
  }
}
