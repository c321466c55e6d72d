import { type Command } from "commander";
import { auditedSelection } from "../domain/audited-selection.ts";
import { openExport } from "../domain/export-responses.ts";
import { exportRowText } from "../domain/export-row.ts";
import { findProject } from "../domain/find-project.ts";
import { type Service } from "../domain/service.ts";
import { type ExportedResponse } from "../store/store.ts";
import { auditOf } from "./audit.ts";
import { administrationCommand } from "./database-flags.ts";
import { checkOutput } from "./output-file.ts";
import { writePrivately } from "./private-file.ts";
import { progressOf } from "./progress.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

interface ExportFlags extends ServiceFlags {
  survey?: string;
  yes?: boolean;
}

/** A page at a time, so that a million rows need no more memory than a few hundred. */
async function writeRows(
  service: Service,
  projectId: string,
  flags: ExportFlags,
  terminal: Terminal,
  write: (rows: ExportedResponse[]) => Promise<void>,
  interruption: AbortSignal,
): Promise<number> {
  const project = findProject(service.directory, projectId);
  const query = { surveySlug: flags.survey };
  const snapshot = await openExport(service, project, query);
  const selection = auditedSelection(service, project, query);
  const counts = { responses: snapshot.count };
  auditOf(terminal, "responses export")({ action: "export", projectId, ...selection, counts });
  const showProgress = progressOf(terminal, "Exporting");
  let done = 0;
  try {
    for await (const rows of snapshot.pages()) {
      interruption.throwIfAborted();
      await write(rows);
      done += rows.length;
      showProgress(done, snapshot.count);
    }
  } finally {
    await snapshot.close();
  }
  terminal.showProgress("");
  return done;
}

/** `responses export`: all of a project's responses, one line of JSON each. */
export function responsesExportCommand(terminal: Terminal): Command {
  return administrationCommand(
    "export",
    "Write all responses into a file of JSON lines that only you can read, from one consistent state",
    "responses export shop answers.jsonl --survey satisfaction",
  )
    .argument("<project>", "id of the project")
    .argument("<file>", "where the lines go")
    .option("--survey <slug>", "only this survey; also one that was deleted")
    .option("--yes", "replace the file if it is there, without asking")
    .action(async (project: string, file: string, flags: ExportFlags) => {
      const responses = await withService(flags, terminal, async (service) => {
        findProject(service.directory, project);
        await checkOutput(file, flags, terminal);
        // Before there is anything to take away.
        const interruption = terminal.heedInterruption();
        return writePrivately(file, (append) => {
          const write = (rows: ExportedResponse[]) => append(`${rows.map(exportRowText).join("\n")}\n`);
          return writeRows(service, project, flags, terminal, write, interruption);
        });
      });
      if (flags.json) return terminal.print(JSON.stringify({ projectId: project, file, responses }));
      terminal.print(`Wrote ${responses} responses of ${project} to ${file}.`);
    });
}
