import { Option } from "commander";
import { stringify } from "csv-stringify/sync";
import {
  type ExportedResponse,
  exportRowText,
  findProject,
  openExport,
  timestamp,
} from "@afterword/reference-server/internal";
import { auditedSelection } from "../audit/audited-selection.ts";
import { counted } from "./counted.ts";
import { type DatabaseFlags } from "./database-flags.ts";
import { defineCommand, type Session } from "./define-command.ts";
import { checkOutput, writePrivately } from "./output-file.ts";
import { progressOf } from "./progress.ts";

/** The formats of `responses export`. */
const exportFormats = ["jsonl", "csv"] as const;
type ExportFormat = (typeof exportFormats)[number];

const columns = [
  "id",
  "surveyId",
  "surveyVersion",
  "respondentId",
  "rating",
  "text",
  "followUpRequested",
  "at",
  "source",
  "traits",
  "run",
  "sessionId",
  "observationId",
  "taskType",
];

/** CSV (RFC 4180). Cells that a spreadsheet would read as a formula begin with `'`. */
function csv(records: readonly (readonly unknown[] | object)[]): string {
  const cast = { boolean: String };
  return stringify([...records], { columns, cast, escape_formulas: true, record_delimiter: "windows" });
}

/** The heading line, or an empty string for formats without one. */
const exportHeading = (format: ExportFormat): string => (format === "csv" ? csv([columns]) : "");

/** Rows as text ending with a line break; traits and runs are JSON in both formats. */
function exportText(rows: readonly ExportedResponse[], format: ExportFormat): string {
  if (format === "csv") return csv(rows.map((row) => ({ ...row, at: timestamp(row.at) })));
  return rows.map((row) => `${exportRowText(row)}\n`).join("");
}

interface ExportFlags extends DatabaseFlags {
  format: ExportFormat;
  survey?: string;
}

/** Writes page by page, in constant memory. */
async function writeRows(
  { service, flags, terminal, reading }: Session<ExportFlags>,
  projectId: string,
  append: (text: string) => Promise<void>,
  interruption: AbortSignal,
): Promise<number> {
  const project = findProject(service.directory, projectId);
  const query = { surveySlug: flags.survey };
  const snapshot = await openExport(service, project, query);
  const selection = auditedSelection(project, query);
  const counts = { responses: snapshot.count };
  const showProgress = progressOf(terminal, "Exporting");
  let done = 0;
  try {
    await reading({ action: "export", projectId, ...selection, counts });
    await append(exportHeading(flags.format));
    for await (const rows of snapshot.pages()) {
      interruption.throwIfAborted();
      await append(exportText(rows, flags.format));
      done += rows.length;
      showProgress(done, snapshot.count);
    }
  } finally {
    await snapshot.close();
    snapshot.giveBack();
  }
  return done;
}

const standardOutput = "-";

export const responsesExportCommand = defineCommand({
  name: "responses export",
  description: "Write all responses, from one snapshot, into a file that only you can read",
  example: "responses export shop answers.csv --format csv --survey satisfaction",
  options: (command) =>
    command
      .argument("<project>", "id of the project")
      .argument("<file>", "path of the file; - writes to standard output")
      .addOption(
        new Option("--format <format>", "JSON lines, or CSV with a heading")
          .choices(exportFormats)
          .default("jsonl"),
      )
      .option("--survey <slug>", "only this survey, even if it was deleted")
      .option("--yes", "replace an existing file without asking"),
  async work(session: Session<ExportFlags>, projectId: string, file: string) {
    const { service, terminal } = session;
    findProject(service.directory, projectId);
    if (file !== standardOutput) await checkOutput(file, session);
    // Before the first output that an interruption would have to remove.
    const interruption = terminal.onInterrupt();
    const writeTo = (append: (text: string) => Promise<void>) =>
      writeRows(session, projectId, append, interruption);
    if (file === standardOutput) {
      const responses = await writeTo(terminal.write);
      return terminal.complain(`Wrote ${counted(responses, "response")} of ${projectId}.`);
    }
    const responses = await writePrivately(file, writeTo);
    return {
      json: { projectId, file, responses },
      lines: [`Wrote ${counted(responses, "response")} of ${projectId} to ${file}.`],
    };
  },
});
