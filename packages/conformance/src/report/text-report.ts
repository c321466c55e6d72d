import { type ClauseResult, type Outcome } from "../run-clauses.ts";

const marks: Record<Outcome, string> = {
  passed: "ok",
  failed: "FAILED",
  notOffered: "not offered",
  notTestable: "not testable",
};

/** One clause as a line, with what is to be said of it below. */
export function textLine({ section, title, outcome, detail }: ClauseResult): string {
  const line = `${marks[outcome].padEnd(13)} ${section.padEnd(5)} ${title}\n`;
  return detail ? `${line}${" ".repeat(20)}${detail.replaceAll("\n", `\n${" ".repeat(20)}`)}\n` : line;
}
