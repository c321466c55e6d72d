import { accessSync, chmodSync, constants, copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Command } from "commander";
import { type ErasureEntry } from "../domain/erasure-log.ts";
import { UsageError } from "../domain/usage-error.ts";
import { reapplyErasures, type Reapplied } from "../domain/reapply-erasures.ts";
import { type Service } from "../domain/service.ts";
import { readErasureLog } from "../operations/erasure-log-file.ts";
import { databasePlace } from "../store/open-store.ts";
import { flush } from "../store/sqlite/backup.ts";
import { besideDatabase, checkBackup, holdAlone, lockAlone } from "../store/sqlite/restore.ts";
import { auditOf } from "./audit.ts";
import { confirm } from "./confirm.ts";
import { administrationCommand } from "./database-flags.ts";
import { isOwnFile } from "./output-file.ts";
import { progressOf } from "./progress.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

interface RestoreFlags extends Omit<ServiceFlags, "erasureLog"> {
  erasureLog?: string[];
  withoutErasureLog?: boolean;
  yes?: boolean;
}

const collect = (file: string, earlier: string[] = []) => [...earlier, file];

/** Applies erasures to the database, or to the file that is about to become it. */
async function eraseAgain(
  entries: readonly ErasureEntry[],
  flags: RestoreFlags,
  terminal: Terminal,
  file?: string,
): Promise<Reapplied> {
  const interruption = terminal.onInterrupt();
  const showProgress = progressOf(terminal, "Erasing again");
  const onProgress = (done: number, total: number) => {
    // In the database itself it goes to its end, which is told and audited; a copy is thrown away.
    if (file !== undefined) interruption.throwIfAborted();
    showProgress(done, total);
  };
  const run = { ...flags, erasureLog: undefined };
  const apply = (service: Service) => reapplyErasures(service, entries, onProgress);
  // A backup may be older than the server that is to work on it, which is stopped now.
  const result = await withService(run, terminal, apply, { file, change: "migrate" });
  terminal.showProgress("");
  return result;
}

function removeDatabase(path: string): void {
  for (const rest of ["", ...besideDatabase, ".reserve"]) rmSync(path + rest, { force: true });
}

/** A copy in the folder of the database: in one step it can take its place, and it can be written whatever the backup can. */
function copyBackup(file: string, incoming: string): void {
  if (!existsSync(file)) throw new UsageError(`There is no backup ${file}.`);
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new UsageError(`The backup ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    removeDatabase(incoming);
    copyFileSync(file, incoming);
    chmodSync(incoming, 0o600);
  } catch (error) {
    const advice = "the folder of the database must be there, and have room for the backup";
    throw new UsageError(
      `The backup cannot be copied to ${incoming}: ${(error as Error).message}; ${advice}.`,
      {
        cause: error,
      },
    );
  }
}

/** The last step, and the only one that changes the database: a crash leaves the old one or the new one. */
function takePlace(incoming: string, db: string): void {
  flush(incoming);
  for (const rest of besideDatabase) rmSync(db + rest, { force: true });
  renameSync(incoming, db);
  flush(dirname(db));
}

/**
 * Puts a copy of the backup in the place of the database, once it is known to be whole and of this key and what was
 * erased since is gone from it. Until then the database is as it was, and it stays so if any of that fails.
 */
async function replaceDatabase(
  file: string,
  entries: readonly ErasureEntry[],
  flags: RestoreFlags,
  terminal: Terminal,
): Promise<Reapplied> {
  const { db } = flags;
  if (databasePlace(db).kind === "server")
    throw new UsageError("Bring a PostgreSQL backup back with pg_restore, then run restore without a file.");
  if (isOwnFile(file, flags, terminal))
    throw new UsageError(
      `${file} belongs to the server's own database and is no backup: choose another file.`,
    );
  const incoming = `${db}.incoming`;
  let release: (() => void) | undefined;
  try {
    copyBackup(file, incoming);
    checkBackup(incoming, file);
    if (existsSync(db)) {
      await confirm(terminal, flags.yes, `The database ${db} will be replaced by ${file}.`, "replace");
      // Until the end: whoever wrote into the old file meanwhile would lose what it writes.
      release = holdAlone(db);
    }
    const result = await eraseAgain(entries, flags, terminal, incoming);
    // All of it in one file, which is what is renamed.
    lockAlone(incoming);
    takePlace(incoming, db);
    return result;
  } finally {
    release?.();
    removeDatabase(incoming);
  }
}

function told(flags: RestoreFlags, terminal: Terminal, file: string | undefined, result: Reapplied): void {
  if (flags.json)
    return terminal.print(JSON.stringify({ database: flags.db, ...(file && { file }), ...result }));
  const { erasures, skipped, responsesDeleted, dismissalsDeleted } = result;
  if (file) terminal.print(`Restored ${flags.db} from ${file}.`);
  terminal.print(
    `Applied ${erasures} erasures again: ${responsesDeleted} responses and ${dismissalsDeleted} dismissals went.`,
  );
  if (skipped) terminal.complain(`${skipped} erasures are of projects that this database does not have.`);
}

function readLogs(flags: RestoreFlags, terminal: Terminal): ErasureEntry[] {
  const fromEnvironment = terminal.environment["AFTERWORD_ERASURE_LOG"];
  const logs = flags.erasureLog ?? (fromEnvironment ? [fromEnvironment] : []);
  if (logs.length === 0 && !flags.withoutErasureLog) {
    throw new UsageError(
      "People may have been erased since the backup: give --erasure-log, or --without-erasure-log if there is none.",
    );
  }
  return logs.flatMap(readErasureLog).sort((one, other) => one.at.localeCompare(other.at));
}

/** `restore`: brings a backup back, and erases again what was erased since. */
export function restoreCommand(terminal: Terminal): Command {
  return administrationCommand(
    "restore",
    "Bring a backup back without what was erased since; stop the server first. The database is replaced in the last step",
    "restore backups/2026-11-21.db --erasure-log /var/lib/afterword-erasures/log.jsonl",
  )
    .argument("[file]", "the backup; without it, erasures are applied to the database as it is")
    .option(
      "--erasure-log <file>",
      "log of erasures; repeat it for each node's (or AFTERWORD_ERASURE_LOG)",
      collect,
    )
    .option("--without-erasure-log", "bring back data that may have been erased since")
    .option("--yes", "do not ask")
    .action(async (file: string | undefined, flags: RestoreFlags) => {
      const entries = readLogs(flags, terminal);
      const result =
        file === undefined
          ? await eraseAgain(entries, flags, terminal)
          : await replaceDatabase(file, entries, flags, terminal);
      const everything = { respondents: [], isWholeProject: true };
      auditOf(terminal, "restore")({ action: "restore", ...everything, counts: { ...result } });
      told(flags, terminal, file, result);
    });
}
