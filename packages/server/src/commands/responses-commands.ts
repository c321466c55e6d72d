import { createReadStream } from "node:fs";
import { CsvError, parse } from "csv-parse";
import {
  type ConfigMistake,
  findProject,
  findSurvey,
  InvalidConfig,
  UsageError,
} from "@afterword/reference-server/internal";
import { type ImportedResponse } from "../store/import-responses.ts";
import { auditedSelection } from "../audit/audited-selection.ts";
import { importedResponse, type ImportContext, type ImportLine } from "../administration/import-responses.ts";
import { commandGroup, defineCommand } from "./define-command.ts";
import { responsesExportCommand } from "./responses-export-command.ts";
import { counted } from "./table.ts";
import { progressOf } from "./terminal.ts";
import { type Session } from "./with-service.ts";

const linesPerTransaction = 500;
const mostMistakes = 20;

const known = new Set(["email", "survey", "rating", "text", "at"]);
const traitPrefix = "trait.";
/** Maximum line length: a text of 10,000 characters of four bytes each, and the other columns. */
const longestLineInBytes = 128 * 1024;

/** A misspelt column must not lose its data. */
function checkHeading(untrimmed: string[], path: string): string[] {
  const heading = untrimmed.map((name) => name.trim());
  const unknown = heading.filter((name) => !known.has(name) && !name.startsWith(traitPrefix));
  if (unknown.length === 0) return heading;
  const message = `is not a known column; use ${[...known].join(", ")}, or ${traitPrefix}NAME for traits`;
  throw new InvalidConfig(unknown.map((name) => ({ path: `${path}: ${name}`, message })));
}

function lineOf(record: Record<string, string>): ImportLine {
  const traits = Object.entries(record)
    .filter(([name, value]) => name.startsWith(traitPrefix) && value !== "")
    .map(([name, value]) => [name.slice(traitPrefix.length), value] as const);
  return { ...record, traits: Object.fromEntries(traits) };
}

/** Reads a CSV file with a heading line by line, each with its number, in constant memory. @throws InvalidConfig */
async function* csvLines(path: string): AsyncGenerator<[number: number, line: ImportLine]> {
  const parser = parse({
    bom: true,
    columns: (heading: string[]) => checkHeading(heading, path),
    info: true,
    skip_empty_lines: true,
    max_record_size: longestLineInBytes,
  });
  const file = createReadStream(path);
  file.on("error", (error) => parser.destroy(error));
  let countedTwice = 0;
  try {
    for await (const { record, info } of file.pipe(parser)) {
      const fields = record as Record<string, string>;
      // The parser counts a CR and a LF in quotes as two lines.
      countedTwice += Object.values(fields).join().match(/\r\n/g)?.length ?? 0;
      yield [(info.lines as number) - countedTwice, lineOf(fields)];
    }
  } catch (error) {
    if (error instanceof InvalidConfig) throw error;
    const { message, lines } = error as Error & { lines?: number };
    const mistake =
      error instanceof CsvError
        ? // The parser's own message quotes the line.
          { path: `${path}:${lines! - countedTwice}`, message: `is not CSV (${error.code})` }
        : { path: "", message: `cannot read ${path}: ${message}` };
    throw new InvalidConfig([mistake]);
  } finally {
    file.destroy();
  }
}

/** Validates the whole file first: an error in its last line must not leave half of it stored. */
async function check(context: ImportContext, file: string, session: Session): Promise<number> {
  const showProgress = progressOf(session, "Checking lines:");
  const mistakes: ConfigMistake[] = [];
  let lines = 0;
  for await (const [number, line] of csvLines(file)) {
    lines += 1;
    showProgress(lines);
    try {
      importedResponse(context, line);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      mistakes.push({ path: `${file}:${number}`, message: error.message });
      if (mistakes.length === mostMistakes) break;
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
  session: Session,
  onAdded: (added: number) => void,
): Promise<number> {
  const { administration } = session.service.store;
  const showProgress = progressOf(session, "Importing");
  const interruption = session.onInterrupt();
  let batch: ImportedResponse[] = [];
  let added = 0;
  let done = 0;
  const flush = async () => {
    interruption.throwIfAborted();
    added += await administration.importResponses(batch);
    onAdded(added);
    done += batch.length;
    batch = [];
    showProgress(done, lines);
  };
  for await (const [, line] of csvLines(file)) {
    batch.push(importedResponse(context, line));
    if (batch.length === linesPerTransaction) await flush();
  }
  if (batch.length > 0) await flush();
  return added;
}

const cautions = `
Retention applies to the answers' own dates: the next nightly run deletes those older than --response-retention-days of \`serve\`.
Importing a file again after an erasure brings erased people back: remove them from the file first.`;

const importCommand = defineCommand({
  name: "responses import",
  description: "Import responses from a CSV file; importing it again adds no duplicates",
  example: "responses import shop answers.csv --survey satisfaction",
  options: (command) =>
    command
      .argument("<project>", "id of the project")
      .argument(
        "<file>",
        "CSV with a heading: email (ASCII), rating, at (a time or date), and optionally survey, text, trait.NAME",
      )
      .option("--survey <survey>", "slug or id of the survey, for a file without a survey column")
      .option("--dry-run", "check the file and store nothing")
      .addHelpText("after", cautions),
  async work(session, projectId, file) {
    const { service, flags, audit } = session;
    const project = findProject(service.directory, projectId);
    const survey = flags.survey === undefined ? undefined : findSurvey(project, flags.survey);
    const context = { service, project, survey };
    const lines = await check(context, file, session);
    if (flags.dryRun)
      return {
        json: { projectId, lines, added: 0, alreadyThere: 0 },
        lines: [`All ${lines} lines are valid; nothing was stored.`],
      };
    const selection = auditedSelection(project, { surveySlug: survey?.slug });
    const about = { action: "import", ...selection } as const;
    const added = await audit.change({ ...about, counts: { lines, added: 0 } }, (addResults) =>
      store(context, file, lines, session, (added) => addResults({ counts: { lines, added } })),
    );
    const alreadyThere = lines - added;
    const again = alreadyThere > 0 ? ` ${alreadyThere} were already stored.` : "";
    return {
      json: { projectId, lines, added, alreadyThere },
      lines: [`Added ${counted(added, "response")} to ${projectId}.${again}`],
    };
  },
});

export const responsesCommands = commandGroup(
  "responses",
  "Import responses from elsewhere, and export stored ones",
  importCommand,
  responsesExportCommand,
);
