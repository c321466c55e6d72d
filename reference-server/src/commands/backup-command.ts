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
  "PostgreSQL has its own tool: pg_dump --format=custom --file=FILE DATABASE, with the address as in --db but without " +
  "pool_size and durability; pg_restore brings it back. Then apply the erasure log, before the server starts again: " +
  "afterword-server restore --db DATABASE --erasure-log LOG";

/** `backup`: a consistent copy, while the server goes on. */
export function backupCommand(terminal: Terminal): Command {
  return administrationCommand(
    "backup",
    "Copy a SQLite database into a file while the server goes on",
    "backup backups/2026-11-21.db",
  )
    .argument("<file>", "where the copy goes")
    .option("--yes", "replace the file if it is there, without asking")
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
      // A copy of what everybody said, which no erasure reaches any more.
      const everything = { respondents: [], isWholeProject: true };
      auditOf(terminal, "backup")({ action: "backup", ...everything, counts: { bytes } });
      if (flags.json) return terminal.print(JSON.stringify({ file, bytes }));
      terminal.print(`Copied ${flags.db} to ${file} (${Math.ceil(bytes / 1024).toLocaleString("en")} KiB).`);
      terminal.complain("The master key is not in it: keep a copy of the key file apart from the backups.");
    });
}
