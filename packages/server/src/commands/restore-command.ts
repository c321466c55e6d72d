import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { besideDatabase, databasePlace, flush, UsageError } from "@afterword/reference-server/internal";
import { checkBackup, holdAlone, removeDatabase } from "../sqlite/backup.ts";
import { openStore } from "../postgres/open-store.ts";
import { reapplyErasures, type Reapplied } from "../administration/reapply-erasures.ts";
import { everything } from "../audit/audited-selection.ts";
import { type ErasureEntry, readErasureLog } from "../audit/erasure-log.ts";
import { checkAgainstRecorded, checkServerFiles } from "../health/server-files.ts";
import { defineBareCommand } from "./define-command.ts";
import { confirmedOption, type DatabaseFlags, repeatable, withDatabaseFlags } from "./flags.ts";
import { beginningOf, isOwnFile, keepLogs } from "./files.ts";
import { counted } from "./table.ts";
import { confirm, progressOf } from "./terminal.ts";
import { auditOf, masterKeysOf, type Run, trailOf, withService } from "./with-service.ts";

interface RestoreFlags extends DatabaseFlags {
  erasureLog?: string[];
  yes?: true;
}

/** Audits what replaces the database or erases in it. The first line is chained already, if there is a key. */
async function audited(run: Run<RestoreFlags>, act: () => Promise<Reapplied>): Promise<Reapplied> {
  // Without the key, the restore fails and says so.
  const [key] = await masterKeysOf(run, "migrate").catch(() => []);
  const audit = auditOf(run, trailOf(run), key);
  return audit.change({ action: "restore", ...everything }, async (addResults) => {
    const result = await act();
    addResults({ counts: { ...result } });
    return result;
  });
}

/** Opens what will be the database, before anything is written. @throws UsageError when that would write over a log of it */
async function checkLogs(database: string, { flags }: Run<RestoreFlags>): Promise<void> {
  checkServerFiles(flags, flags.db, flags.keyFile);
  const store = await openStore(database, "migrate");
  try {
    await checkAgainstRecorded(store, { auditFile: flags.auditFile });
    await keepLogs(flags.db, store);
  } finally {
    await store.close();
  }
}

/** Applies erasures to the database, or to the copy that will replace it. */
async function eraseAgain(
  entries: readonly ErasureEntry[],
  run: Run<RestoreFlags>,
  file?: string,
): Promise<Reapplied> {
  const interruption = run.onInterrupt();
  // In the database itself the erasure completes and is audited; a copy is discarded.
  const onProgress = progressOf(run, "Erasing again", file === undefined ? undefined : interruption);
  // The erasures are in a log already, and `audited` has opened the audit file.
  const withoutLogs = { ...run, flags: { ...run.flags, erasureLog: undefined, auditFile: undefined } };
  // A backup may be older than this program; the server is stopped.
  const use = { file, change: "migrate" } as const;
  return withService(withoutLogs, ({ service }) => reapplyErasures(service, entries, onProgress), use);
}

/** How files of age begin (https://age-encryption.org/v1), armored ones too. */
const encrypted = /^(age-encryption\.org\/|-----BEGIN AGE ENCRYPTED FILE-----)/;

/** Copies into the database's folder, so that a rename can replace the database; the backup may be read-only. */
async function copyBackup(file: string, incoming: string): Promise<void> {
  if (!existsSync(file)) throw new UsageError(`The backup ${file} does not exist.`);
  let beginning: string;
  try {
    beginning = (await beginningOf(file, 40)).toString("latin1");
  } catch (error) {
    throw new UsageError(`Could not read the backup ${file}: ${(error as Error).message}`, { cause: error });
  }
  if (encrypted.test(beginning))
    throw new UsageError(
      `${file} is encrypted: decrypt it first, with age --decrypt --identity KEY_FILE --output COPY ${file}`,
    );
  try {
    removeDatabase(incoming);
    copyFileSync(file, incoming);
    chmodSync(incoming, 0o600);
  } catch (error) {
    throw new UsageError(
      `Could not copy the backup to ${incoming}: ${(error as Error).message}; the database's folder must exist and have room for the backup.`,
      { cause: error },
    );
  }
}

/** The only step that changes the database: a crash leaves either the old one or the new one. */
function replaceFile(incoming: string, db: string): void {
  flush(incoming);
  for (const rest of besideDatabase) rmSync(db + rest, { force: true });
  renameSync(incoming, db);
  flush(dirname(db));
}

/**
 * Replaces the database with a copy of the backup, once the copy is complete, fits the master key, and has had the
 * later erasures applied. If anything fails before, the database is unchanged.
 */
async function replaceDatabase(
  file: string,
  entries: readonly ErasureEntry[],
  run: Run<RestoreFlags>,
): Promise<Reapplied> {
  const { db } = run.flags;
  if (databasePlace(db).kind === "server")
    throw new UsageError("Restore a PostgreSQL backup with pg_restore, then run `restore` without a file.");
  if (isOwnFile(file, run))
    throw new UsageError(
      `${file} belongs to the server's own database and is not a backup: choose another file.`,
    );
  const incoming = `${db}.incoming`;
  let release: (() => void) | undefined;
  try {
    await copyBackup(file, incoming);
    checkBackup(incoming, file);
    await checkLogs(incoming, run);
    if (existsSync(db)) {
      await confirm(run, `The database ${db} will be replaced by ${file}.`, "replace");
      // Until the end, because writes to the old file would be lost.
      release = holdAlone(db);
    }
    return await audited(run, async () => {
      const result = await eraseAgain(entries, run, incoming);
      // Puts everything into the one file that is renamed.
      holdAlone(incoming)();
      replaceFile(incoming, db);
      return result;
    });
  } finally {
    release?.();
    removeDatabase(incoming);
  }
}

/** `restore`: restores a backup and repeats the erasures since. */
export const restoreCommand = defineBareCommand({
  name: "restore",
  description:
    "Restore a backup and repeat the erasures since. Stop the server first; the last step replaces the database",
  example: "restore backups/2026-11-21.db --erasure-log /var/lib/afterword-erasures/log.jsonl",
  options: (command) =>
    withDatabaseFlags(command)
      .argument("[file]", "the backup; without it, erasures are applied to the current database")
      .option(
        "--erasure-log <file>",
        "erasure log; repeatable, one per node (or AFTERWORD_ERASURE_LOG)",
        repeatable(String),
      )
      .option("--without-erasure-log", "restore data that may have been erased since")
      .addOption(confirmedOption()),
  async work(run, file) {
    const {
      db,
      withoutErasureLog,
      erasureLog = [run.environment["AFTERWORD_ERASURE_LOG"] ?? []].flat(),
    } = run.flags;
    if (erasureLog.length === 0 && !withoutErasureLog)
      throw new UsageError(
        "People may have been erased since the backup: pass --erasure-log, or --without-erasure-log if there is none.",
      );
    const entries = erasureLog.flatMap(readErasureLog).sort((one, other) => one.at.localeCompare(other.at));
    if (file === undefined) await checkLogs(db, run);
    const result = await (file === undefined
      ? audited(run, () => eraseAgain(entries, run))
      : replaceDatabase(file, entries, run));
    const { erasures, skipped, responsesDeleted, dismissalsDeleted } = result;
    return {
      json: { database: db, ...(file && { file }), ...result },
      lines: [
        file && `Restored ${db} from ${file}.`,
        `Repeated ${counted(erasures, "erasure")}: deleted ${counted(responsesDeleted, "response")} and ${counted(dismissalsDeleted, "dismissal")}.`,
      ],
      remarks: [
        skipped > 0 && `Skipped ${counted(skipped, "erasure")} of projects that this database does not have.`,
      ],
    };
  },
});
