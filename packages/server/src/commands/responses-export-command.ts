import { Option } from "@commander-js/extra-typings";
import { stringify } from "csv-stringify/sync";
import {
  type ExportedResponse,
  exportRowText,
  findProject,
  openExport,
  timestamp,
} from "@afterword/reference-server/internal";
import { auditedSelection } from "../audit/audited-selection.ts";
import { defineCommand } from "./define-command.ts";
import { checkOutput, writePrivately } from "./files.ts";
import { counted } from "./table.ts";
import { progressOf } from "./terminal.ts";

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

/** Rows as text ending with a line break; traits and runs are JSON in both formats. */
function exportText(rows: readonly ExportedResponse[], format: "jsonl" | "csv"): string {
  if (format === "csv") return csv(rows.map((row) => ({ ...row, at: timestamp(row.at) })));
  return rows.map((row) => `${exportRowText(row)}\n`).join("");
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
          .choices(["jsonl", "csv"])
          .default("jsonl"),
      )
      .option("--survey <slug>", "only this survey, even if it was deleted")
      .option("--yes", "replace an existing file without asking"),
  async work(session, projectId, file) {
    const { service, audit, write, complain } = session;
    const { format, survey: surveySlug } = session.flags;
    const project = findProject(service.directory, projectId);
    if (file !== standardOutput) await checkOutput(file, session);
    // Before the first output that an interruption would have to remove.
    const interruption = session.onInterrupt();
    /** Writes page by page, in constant memory. */
    const writeRows = async (append: (text: string) => Promise<void>) => {
      const snapshot = await openExport(service, project, { surveySlug });
      const selection = auditedSelection(project, snapshot.selection);
      const showProgress = progressOf(session, "Exporting", interruption);
      let done = 0;
      try {
        const counts = { responses: snapshot.count };
        await audit.reading({ action: "export", ...selection, counts });
        if (format === "csv") await append(csv([columns]));
        for await (const rows of snapshot.pages()) {
          await append(exportText(rows, format));
          done += rows.length;
          showProgress(done, snapshot.count);
        }
      } finally {
        await snapshot.close();
        snapshot.giveBack();
      }
      return done;
    };
    const isFile = file !== standardOutput;
    const responses = await (isFile ? writePrivately(file, writeRows) : writeRows(write));
    const wrote = `Wrote ${counted(responses, "response")} of ${projectId}`;
    if (!isFile) return complain(`${wrote}.`);
    return { json: { projectId, file, responses }, lines: [`${wrote} to ${file}.`] };
  },
});
