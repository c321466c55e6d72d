import { Command } from "commander";
import { findProject } from "../domain/manage-projects.ts";
import { importedResponse, type ImportContext } from "../domain/import-responses.ts";
import { findSurvey } from "../domain/manage-surveys.ts";
import { UsageError } from "../domain/usage-error.ts";
import { InvalidConfig, type ConfigMistake } from "../config/invalid-config.ts";
import { type ImportedResponse } from "../store/store.ts";
import { auditOf } from "./audit.ts";
import { csvLines } from "./csv-lines.ts";
import { administrationCommand } from "./database-flags.ts";
import { progressOf } from "./progress.ts";
import { responsesExportCommand } from "./responses-export-command.ts";
import { type Terminal } from "./terminal.ts";
import { withService, type ServiceFlags } from "./with-service.ts";

const linesPerTransaction = 500;
const mistakesTold = 20;

interface ImportFlags extends ServiceFlags {
  survey?: string;
  dryRun?: boolean;
}

/** Validates the whole file first: an error in its last line must not leave half of it stored. */
async function check(context: ImportContext, file: string, terminal: Terminal): Promise<number> {
  const showProgress = progressOf(terminal, "Checking lines:");
  const mistakes: ConfigMistake[] = [];
  let lines = 0;
  for await (const { number, line } of csvLines(file)) {
    lines += 1;
    showProgress(lines);
    try {
      importedResponse(context, line);
    } catch (error) {
      if (!UsageError.isInstance(error)) throw error;
      mistakes.push({ path: `${file}:${number}`, message: error.message });
      if (mistakes.length === mistakesTold) break;
    }
  }
  if (lines === 0) mistakes.push({ path: file, message: "contains no responses" });
  if (mistakes.length > 0) throw new InvalidConfig(mistakes);
  return lines;
}

async function store(
  context: ImportContext,
  file: string,
  lines: number,
  terminal: Terminal,
  learn: (added: number) => void,
): Promise<number> {
  const { administration } = context.service.store;
  const showProgress = progressOf(terminal, "Importing");
  const interruption = terminal.onInterrupt();
  let batch: ImportedResponse[] = [];
  let added = 0;
  let done = 0;
  const flush = async () => {
    interruption.throwIfAborted();
    added += await administration.importResponses(batch);
    learn(added);
    done += batch.length;
    batch = [];
    showProgress(done, lines);
  };
  for await (const { line } of csvLines(file)) {
    batch.push(importedResponse(context, line));
    if (batch.length === linesPerTransaction) await flush();
  }
  if (batch.length > 0) await flush();
  return added;
}

const cautions = `
Retention applies to the answers' own dates: the next nightly run deletes those older than --response-retention-days of \`serve\`.
Importing a file again after an erasure brings erased people back: remove them from the file first.`;

function importCommand(terminal: Terminal): Command {
  return administrationCommand(
    "import",
    "Import responses from a CSV file; importing it again adds no duplicates",
    "responses import shop answers.csv --survey satisfaction",
  )
    .argument("<project>", "id of the project")
    .argument("<file>", "CSV with a heading: email, rating, at, and optionally survey, text, trait.NAME")
    .option("--survey <survey>", "slug or id of the survey, for a file without a survey column")
    .option("--dry-run", "check the file and store nothing")
    .addHelpText("after", cautions)
    .action(async (project: string, file: string, flags: ImportFlags) => {
      const result = await withService(flags, terminal, async (service) => {
        const found = findProject(service.directory, project);
        const survey = flags.survey === undefined ? undefined : findSurvey(found, flags.survey);
        const context = { service, project: found, survey };
        const lines = await check(context, file, terminal);
        const of = survey ? { surveySlug: survey.slug, isWholeProject: false } : { isWholeProject: true };
        const about = { action: "import", projectId: project, respondents: [], ...of } as const;
        const storeAudited = () =>
          auditOf(terminal, flags, "responses import").change(
            { ...about, counts: { lines, added: 0 } },
            (learn) => store(context, file, lines, terminal, (added) => learn({ counts: { lines, added } })),
          );
        const added = flags.dryRun ? 0 : await storeAudited();
        return { projectId: project, lines, added, alreadyThere: flags.dryRun ? 0 : lines - added };
      });
      if (flags.json) return terminal.print(JSON.stringify(result));
      if (flags.dryRun) return terminal.print(`All ${result.lines} lines are valid; nothing was stored.`);
      const again = result.alreadyThere > 0 ? ` ${result.alreadyThere} were already stored.` : "";
      terminal.print(`Added ${result.added} responses to ${project}.${again}`);
    });
}

export function responsesCommands(terminal: Terminal): Command {
  return new Command("responses")
    .description("Import responses from elsewhere, and export stored ones")
    .addCommand(importCommand(terminal))
    .addCommand(responsesExportCommand(terminal));
}
