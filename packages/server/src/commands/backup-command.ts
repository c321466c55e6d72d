import { statSync } from "node:fs";
import { Option } from "@commander-js/extra-typings";
import { timestamp, UsageError } from "@afterword/reference-server/internal";
import { everything } from "../audit/audited-selection.ts";
import { lastBackupAt } from "../store/administration.ts";
import { defineCommand, type Outcome } from "./define-command.ts";
import { argument } from "./flags.ts";
import { checkOutput } from "./files.ts";
import { progressOf } from "./terminal.ts";
import { type Session } from "./with-service.ts";

const bytesPerUnit: Readonly<Record<string, number>> = { MiB: 2 ** 20, GiB: 2 ** 30 };

const size = argument((text) => {
  const [, number, unit] = /^([1-9][0-9]{0,5})(MiB|GiB)$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * bytesPerUnit[unit!]!;
}, "Pass a whole number with MiB or GiB, such as 512MiB.");

const forPostgres =
  "Back up PostgreSQL with its own tools: pg_dump --format=custom --file=FILE DATABASE, with the URL of --db but without " +
  "pool_size and durability; then run `backup --record`. Restore with pg_restore. Then apply the erasure log before you start the server: " +
  "afterword-server restore --db DATABASE --erasure-log LOG";

// The copy contains all answers, and later erasures do not reach it.
const intent = { action: "backup", ...everything } as const;

/** For the age in the metrics. A copy that is complete counts, even if the database has no room to say so. */
async function record({ service: { store, clock }, complain }: Session): Promise<void> {
  await store.administration.changeAgreement(lastBackupAt, String(clock.now())).catch((error: Error) => {
    complain(`Could not record the date of this backup: ${error.message}`);
  });
}

async function copyTo(
  file: string,
  mostLogBytes: number,
  session: Parameters<typeof checkOutput>[1],
): Promise<Outcome> {
  const { service, flags, audit } = session;
  const { backup } = service.store.administration;
  if (!backup) throw new UsageError(forPostgres);
  await checkOutput(file, session);
  const onProgress = progressOf(session, "Copying", session.onInterrupt());
  return audit.change(intent, async (addResults) => {
    // The copy has the state of this moment.
    const asOf = timestamp(service.clock.now());
    await backup(file, { mostLogBytes, onProgress });
    const bytes = statSync(file).size;
    addResults({ counts: { bytes } });
    await record(session);
    return {
      json: { file, bytes, asOf },
      lines: [`Copied ${flags.db} to ${file} (${Math.ceil(bytes / 1024).toLocaleString("en")} KiB).`],
      remarks: [
        `The backup has the state of ${asOf} and keeps what is erased later: restore it with the erasure log.`,
        "The backup does not contain the master key: keep a copy of the key file in another place.",
      ],
    };
  });
}

/** `backup`: a consistent copy while the server runs. */
export const backupCommand = defineCommand({
  name: "backup",
  description: "Copy a SQLite database into a file while the server runs",
  example: "backup backups/2026-11-21.db",
  options: (command) =>
    command
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
      .option("--record", "copy nothing: record that another tool, such as pg_dump, has just made a backup"),
  async work(session, file) {
    const { record: isRecording, maxWal } = session.flags;
    if ((file === undefined) !== (isRecording === true)) throw new UsageError("Pass a file, or --record.");
    if (file !== undefined) return copyTo(file, maxWal, session);
    await session.audit.change(intent, () => record(session));
    return { json: { recorded: true }, lines: ["Recorded the backup."] };
  },
});
