import { type Command } from "commander";
import { htmlReport } from "../report/html-report.ts";
import { junitReport } from "../report/junit-report.ts";
import { inWords, outcomeNames, summaryOf } from "../report/summary.ts";
import { type ClauseResult, type Outcome } from "../run-clauses.ts";
import { CannotRun } from "../service/cannot-run.ts";
import { exitCodes, type ExitCode, type Shell } from "./shell.ts";

/** Where results go. By default one line for each clause on standard output. */
export interface ReportFlags {
  json?: true;
  junit?: string;
  html?: string;
}

export const withReports = (command: Command): Command =>
  command
    .option("--json", "write one JSON object to standard output")
    .option("--junit <file>", "write JUnit's XML into a file")
    .option("--html <file>", "write a page into a file");

const marks: Record<Outcome, string> = { ...outcomeNames, passed: "ok", failed: "FAILED" };

/** One clause as a line, with what is to be said of it below. */
function textLine({ section, title, outcome, detail }: ClauseResult): string {
  const line = `${marks[outcome].padEnd(13)} ${section.padEnd(5)} ${title}\n`;
  return detail ? `${line}${" ".repeat(20)}${detail.replaceAll("\n", `\n${" ".repeat(20)}`)}\n` : line;
}

/** Prints each clause as it ends, unless one JSON object comes at the end. */
export const clausePrinter =
  ({ json }: ReportFlags, shell: Shell) =>
  (result: ClauseResult) => {
    if (!json) shell.writeOut(textLine(result));
  };

function writeReport(path: string, text: string, shell: Shell): void {
  try {
    shell.writeFile(path, text);
  } catch (error) {
    throw new CannotRun(`cannot write the report: ${(error as Error).message}`);
  }
}

/** Writes the results wherever the flags say. */
export function report(results: ClauseResult[], subject: string, flags: ReportFlags, shell: Shell): ExitCode {
  const summary = summaryOf(results);
  if (flags.json) shell.writeOut(`${JSON.stringify(summary)}\n`);
  else shell.writeOut(`\n${inWords(summary)}\n`);
  if (flags.junit) writeReport(flags.junit, junitReport(summary), shell);
  if (flags.html) writeReport(flags.html, htmlReport(summary, subject), shell);
  return summary.failed > 0 ? exitCodes.failed : exitCodes.passed;
}
