import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { besideDatabase, databasePlace, flush, UsageError } from "@afterword/reference-server/internal";
import { type ErasureEntry } from "../audit/erasure-log.ts";
import { type OperatedService } from "../administration/operated-service.ts";
import { holdAlone, lockAlone } from "../sqlite/hold-alone.ts";
import { checkBackup, removeDatabase } from "../sqlite/restore.ts";
import { openStore } from "../postgres/open-store.ts";
import { reapplyErasures, type Reapplied } from "../administration/reapply-erasures.ts";
import { readErasureLog } from "../audit/erasure-log-file.ts";
import { checkAgainstRecorded, checkServerFiles } from "../health/server-files.ts";
import { counted } from "./counted.ts";
import { confirmedOption } from "./database-flags.ts";
import { defineBareCommand, type Run } from "./define-command.ts";
import { beginningOf } from "./input-file.ts";
import { isOwnFile, keepLogs } from "./output-file.ts";
import { progressOf } from "./progress.ts";
import { masterKeysOf, withService, type ServiceFlags } from "./with-service.ts";

interface RestoreFlags extends Omit<ServiceFlags, "erasureLog"> {
  erasureLog?: string[];
  withoutErasureLog?: boolean;
}

const collect = (file: string, earlier: string[] = []) => [...earlier, file];

/** Audits what replaces the database or erases in it. */
function audited({ change }: Run<RestoreFlags>, act: () => Promise<Reapplied>): Promise<Reapplied> {
  const everything = { respondents: [], isWholeProject: true, counts: {} };
  return change({ action: "restore", ...everything }, async (addResults) => {
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
  { flags, terminal }: Run<RestoreFlags>,
  file?: string,
): Promise<Reapplied> {
  const interruption = terminal.onInterrupt();
  const showProgress = progressOf(terminal, "Erasing again");
  const onProgress = (done: number, total: number) => {
    // In the database itself the erasure completes and is audited; a copy is discarded.
    if (file !== undefined) interruption.throwIfAborted();
    showProgress(done, total);
  };
  const withoutLog = { ...flags, erasureLog: undefined };
  const apply = (service: OperatedService) => reapplyErasures(service, entries, onProgress);
  // A backup may be older than this program; the server is stopped.
  return withService(withoutLog, terminal, apply, { file, change: "migrate" });
}

/** How files of age begin (https://age-encryption.org/v1), armored ones too. */
const encrypted = /^(age-encryption\.org\/|-----BEGIN AGE ENCRYPTED FILE-----)/;

/** Copies into the database's folder, so that a rename can replace the database; the backup may be read-only. */
function copyBackup(file: string, incoming: string): void {
  if (!existsSync(file)) throw new UsageError(`The backup ${file} does not exist.`);
  let beginning: string;
  try {
    beginning = beginningOf(file, 40).toString("latin1");
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
    const advice = "the database's folder must exist and have room for the backup";
    throw new UsageError(
      `Could not copy the backup to ${incoming}: ${(error as Error).message}; ${advice}.`,
      {
        cause: error,
      },
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
    copyBackup(file, incoming);
    checkBackup(incoming, file);
    await checkLogs(incoming, run);
    if (existsSync(db)) {
      await run.confirm(`The database ${db} will be replaced by ${file}.`, "replace");
      // Until the end, because writes to the old file would be lost.
      release = holdAlone(db);
    }
    return await audited(run, async () => {
      const result = await eraseAgain(entries, run, incoming);
      // Puts everything into the one file that is renamed.
      lockAlone(incoming);
      replaceFile(incoming, db);
      return result;
    });
  } finally {
    release?.();
    removeDatabase(incoming);
  }
}

function readLogs({ flags, terminal }: Run<RestoreFlags>): ErasureEntry[] {
  const fromEnvironment = terminal.environment["AFTERWORD_ERASURE_LOG"];
  const logs = flags.erasureLog ?? (fromEnvironment ? [fromEnvironment] : []);
  if (logs.length === 0 && !flags.withoutErasureLog) {
    throw new UsageError(
      "People may have been erased since the backup: pass --erasure-log, or --without-erasure-log if there is none.",
    );
  }
  return logs.flatMap(readErasureLog).sort((one, other) => one.at.localeCompare(other.at));
}

/** `restore`: restores a backup and repeats the erasures since. */
export const restoreCommand = defineBareCommand({
  name: "restore",
  description:
    "Restore a backup and repeat the erasures since. Stop the server first; the last step replaces the database",
  example: "restore backups/2026-11-21.db --erasure-log /var/lib/afterword-erasures/log.jsonl",
  options: (command) =>
    command
      .argument("[file]", "the backup; without it, erasures are applied to the current database")
      .option(
        "--erasure-log <file>",
        "erasure log; repeatable, one per node (or AFTERWORD_ERASURE_LOG)",
        collect,
      )
      .option("--without-erasure-log", "restore data that may have been erased since")
      .addOption(confirmedOption()),
  async work(run: Run<RestoreFlags>, file: string | undefined) {
    const entries = readLogs(run);
    // So that the first line is chained; without the key, the restore fails and says so.
    const [key] = await masterKeysOf(run.flags, run.terminal, "migrate").catch(() => []);
    if (key) run.chainWith(key);
    if (file === undefined) await checkLogs(run.flags.db, run);
    const result =
      file === undefined
        ? await audited(run, () => eraseAgain(entries, run))
        : await replaceDatabase(file, entries, run);
    const { erasures, skipped, responsesDeleted, dismissalsDeleted } = result;
    const { db } = run.flags;
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
