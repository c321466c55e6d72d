import { statSync } from "node:fs";
import { InvalidArgumentError, Option, type Command } from "commander";
import { timestamp } from "../domain/ids-and-times.ts";
import { type Service } from "../domain/service.ts";
import { UsageError } from "../domain/usage-error.ts";
import { lastBackupAt } from "../store/store.ts";
import { auditOf } from "./audit.ts";
import { administrationCommand } from "./database-flags.ts";
import { checkOutput } from "./output-file.ts";
import { progressOf } from "./progress.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

interface BackupFlags extends ServiceFlags {
  record?: boolean;
  maxWal: number;
}

const bytesPerUnit: Readonly<Record<string, number>> = { MiB: 2 ** 20, GiB: 2 ** 30 };

function size(text: string): number {
  const [, number, unit] = /^([1-9][0-9]{0,5})(MiB|GiB)$/.exec(text) ?? [];
  if (number !== undefined) return Number(number) * bytesPerUnit[unit!]!;
  throw new InvalidArgumentError("Pass a whole number with MiB or GiB, such as 512MiB.");
}

const forPostgres =
  "Back up PostgreSQL with its own tools: pg_dump --format=custom --file=FILE DATABASE, with the URL of --db but without " +
  "pool_size and durability; then run `backup --record`. Restore with pg_restore. Then apply the erasure log before you start the server: " +
  "afterword-server restore --db DATABASE --erasure-log LOG";

// The copy contains all answers, and later erasures do not reach it.
const intent = { action: "backup", respondents: [], isWholeProject: true, counts: {} } as const;

/** For the age in the metrics. A copy that is complete counts, even if the database has no room to say so. */
async function recordBackup({ store, clock }: Service, terminal: Terminal): Promise<void> {
  await store.changeAgreement(lastBackupAt, String(clock.now())).catch((error: Error) => {
    terminal.complain(`The date of this backup could not be recorded: ${error.message}`);
  });
}

interface Copied {
  bytes: number;
  /** The moment whose state the copy has, in milliseconds since 1970. */
  asOf: number;
}

async function copyTo(file: string, flags: BackupFlags, terminal: Terminal): Promise<Copied> {
  return withService(flags, terminal, async (service) => {
    const { backup } = service.store.administration;
    if (!backup) throw new UsageError(forPostgres);
    await checkOutput(file, flags, terminal);
    const interruption = terminal.onInterrupt();
    const showProgress = progressOf(terminal, "Copying");
    return auditOf(terminal, flags, "backup").change(intent, async (learn) => {
      const asOf = service.clock.now();
      const onProgress = (copied: number, total: number) => {
        interruption.throwIfAborted();
        showProgress(copied, total);
      };
      await backup(file, { mostLogBytes: flags.maxWal, onProgress });
      const bytes = statSync(file).size;
      learn({ counts: { bytes } });
      await recordBackup(service, terminal);
      return { bytes, asOf };
    });
  });
}

/** `backup`: a consistent copy while the server runs. */
export function backupCommand(terminal: Terminal): Command {
  return administrationCommand(
    "backup",
    "Copy a SQLite database into a file while the server runs",
    "backup backups/2026-11-21.db",
  )
    .argument("[file]", "path of the copy")
    .option("--yes", "replace an existing file without asking")
    .addOption(
      new Option(
        "--max-wal <size>",
        "give up when the write-ahead log, which grows meanwhile, reaches this size",
      )
        .argParser(size)
        .default(bytesPerUnit["GiB"]!, "1GiB"),
    )
    .option("--record", "copy nothing: record that another tool, such as pg_dump, has just made a backup")
    .action(async (file: string | undefined, flags: BackupFlags) => {
      if ((file === undefined) !== (flags.record === true)) throw new UsageError("Pass a file, or --record.");
      if (file === undefined) {
        await withService(flags, terminal, (service) =>
          auditOf(terminal, flags, "backup").change(intent, () => recordBackup(service, terminal)),
        );
        return terminal.print(flags.json ? JSON.stringify({ recorded: true }) : "Recorded the backup.");
      }
      const { bytes, asOf } = await copyTo(file, flags, terminal);
      if (flags.json) return terminal.print(JSON.stringify({ file, bytes, asOf: timestamp(asOf) }));
      terminal.print(`Copied ${flags.db} to ${file} (${Math.ceil(bytes / 1024).toLocaleString("en")} KiB).`);
      terminal.complain(
        `The backup is of ${timestamp(asOf)}, and contains what was erased since: restore it with the erasure log.`,
      );
      terminal.complain(
        "The backup does not contain the master key: keep a copy of the key file in another place.",
      );
    });
}
