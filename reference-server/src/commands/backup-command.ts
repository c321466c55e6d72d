import { statSync } from "node:fs";
import { type Command } from "commander";
import { UsageError } from "../domain/usage-error.ts";
import { auditOf } from "./audit.ts";
import { administrationCommand } from "./database-flags.ts";
import { checkOutput } from "./output-file.ts";
import { progressOf } from "./progress.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

interface BackupFlags extends ServiceFlags {
  yes?: boolean;
}

const forPostgres =
  "Back up PostgreSQL with its own tools: pg_dump --format=custom --file=FILE DATABASE, with the URL of --db but without " +
  "pool_size and durability; restore with pg_restore. Then apply the erasure log before you start the server: " +
  "afterword-server restore --db DATABASE --erasure-log LOG";

/** `backup`: a consistent copy while the server runs. */
export function backupCommand(terminal: Terminal): Command {
  return administrationCommand(
    "backup",
    "Copy a SQLite database into a file while the server runs",
    "backup backups/2026-11-21.db",
  )
    .argument("<file>", "path of the copy")
    .option("--yes", "replace an existing file without asking")
    .action(async (file: string, flags: BackupFlags) => {
      await withService(flags, terminal, async ({ store }) => {
        const { backup } = store.administration;
        if (!backup) throw new UsageError(forPostgres);
        await checkOutput(file, flags, terminal);
        const interruption = terminal.onInterrupt();
        const showProgress = progressOf(terminal, "Copying");
        await backup(file, (copied, total) => {
          interruption.throwIfAborted();
          showProgress(copied, total);
        });
        terminal.showProgress("");
      });
      const bytes = statSync(file).size;
      // The copy contains all answers, and later erasures do not reach it.
      const everything = { respondents: [], isWholeProject: true };
      auditOf(terminal, "backup")({ action: "backup", ...everything, counts: { bytes } });
      if (flags.json) return terminal.print(JSON.stringify({ file, bytes }));
      terminal.print(`Copied ${flags.db} to ${file} (${Math.ceil(bytes / 1024).toLocaleString("en")} KiB).`);
      terminal.complain(
        "The backup does not contain the master key: keep a copy of the key file in another place.",
      );
    });
}
