import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Command } from "commander";
import { Mistake } from "../domain/mistake.ts";
import { reapplyErasures } from "../domain/reapply-erasures.ts";
import { readErasureLog } from "../operations/erasure-log-file.ts";
import { isPostgresUrl } from "../store/postgres/database-url.ts";
import { flush } from "../store/sqlite/backup.ts";
import { checkBackup, lockAlone } from "../store/sqlite/restore.ts";
import { auditOf } from "./audit.ts";
import { confirm } from "./confirm.ts";
import { administrationCommand } from "./database-flags.ts";
import { progressOf } from "./progress.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

interface RestoreFlags extends Omit<ServiceFlags, "erasureLog"> {
  erasureLog: string[];
  withoutErasureLog?: boolean;
  yes?: boolean;
}

const collect = (file: string, earlier: string[]) => [...earlier, file];

/** Puts a copy of the backup in the place of the database; a crash in between leaves the one or the other. */
async function replaceDatabase(file: string, flags: RestoreFlags, terminal: Terminal): Promise<void> {
  const { db } = flags;
  if (isPostgresUrl(db))
    throw new Mistake("Bring a PostgreSQL backup back with pg_restore, then run restore without a file.");
  if (!existsSync(file)) throw new Mistake(`There is no backup ${file}.`);
  checkBackup(file);
  if (existsSync(db)) {
    await confirm(terminal, flags.yes, `The database ${db} will be replaced by ${file}.`, "replace");
    // Whoever still writes into the old file would lose what it writes.
    lockAlone(db);
  }
  const incoming = `${db}.incoming`;
  copyFileSync(file, incoming);
  flush(incoming);
  for (const rest of ["-wal", "-shm"]) rmSync(`${db}${rest}`, { force: true });
  renameSync(incoming, db);
  flush(dirname(db));
}

function told(flags: RestoreFlags, terminal: Terminal, file: string | undefined, result: object): void {
  if (flags.json)
    return terminal.print(JSON.stringify({ database: flags.db, ...(file && { file }), ...result }));
  const { erasures, skipped, responsesDeleted, dismissalsDeleted } = result as Record<string, number>;
  if (file) terminal.print(`Restored ${flags.db} from ${file}.`);
  terminal.print(
    `Applied ${erasures} erasures again: ${responsesDeleted} responses and ${dismissalsDeleted} dismissals went.`,
  );
  if (skipped) terminal.complain(`${skipped} erasures are of projects that this database does not have.`);
}

/** `restore`: brings a backup back, and erases again what was erased since. */
export function restoreCommand(terminal: Terminal): Command {
  return administrationCommand(
    "restore",
    "Bring a backup back and apply again the erasures that are younger than it; stop the server first",
    "restore backups/2026-11-21.db --erasure-log /var/lib/afterword-erasures/log.jsonl",
  )
    .argument("[file]", "the backup; without it, erasures are applied to the database as it is")
    .option(
      "--erasure-log <file>",
      "log of erasures; repeat it for each node's (or AFTERWORD_ERASURE_LOG)",
      collect,
      [],
    )
    .option("--without-erasure-log", "bring back data that may have been erased since")
    .option("--yes", "do not ask")
    .action(async (file: string | undefined, flags: RestoreFlags) => {
      const fromEnvironment = terminal.environment["AFTERWORD_ERASURE_LOG"];
      const logs = flags.erasureLog.length === 0 && fromEnvironment ? [fromEnvironment] : flags.erasureLog;
      if (logs.length === 0 && !flags.withoutErasureLog) {
        throw new Mistake(
          "People may have been erased since the backup: give --erasure-log, or --without-erasure-log if there is none.",
        );
      }
      const entries = logs.flatMap(readErasureLog).sort((one, other) => one.at.localeCompare(other.at));
      if (file !== undefined) await replaceDatabase(file, flags, terminal);
      const result = await withService({ ...flags, erasureLog: undefined }, terminal, (service) =>
        reapplyErasures(service, entries, progressOf(terminal, "Erasing again")),
      );
      terminal.showProgress("");
      const everything = { respondents: [], isWholeProject: true };
      auditOf(terminal, "restore")({ action: "restore", ...everything, counts: { ...result } });
      told(flags, terminal, file, result);
    });
}
