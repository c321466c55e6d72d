import { type ClauseResult, type Outcome } from "../run-clauses.ts";

/** What a run has found: the `--json` of the program. */
export interface Summary extends Record<Outcome, number> {
  clauses: ClauseResult[];
}

export function summaryOf(clauses: ClauseResult[]): Summary {
  const count = (outcome: Outcome) => clauses.filter((clause) => clause.outcome === outcome).length;
  return {
    passed: count("passed"),
    failed: count("failed"),
    notOffered: count("notOffered"),
    notTestable: count("notTestable"),
    clauses,
  };
}

export const outcomeNames: Record<Outcome, string> = {
  passed: "passed",
  failed: "failed",
  notOffered: "not offered",
  notTestable: "not testable",
};

/** The counts in words. */
export const inWords = ({ passed, failed, notOffered, notTestable }: Summary): string =>
  `${passed} passed, ${failed} failed, ${notOffered} not offered, ${notTestable} not testable`;

/** The clauses of each section, in their order. */
export const bySection = (clauses: ClauseResult[]): [string, ClauseResult[]][] => [
  ...Map.groupBy(clauses, ({ section }) => section),
];

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text for XML and HTML. Of control characters only tab and line feeds are kept: XML has no others. */
export const escaped = (text: string): string =>
  text
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, "\ufffd")
    .toWellFormed()
    .replaceAll(/[&<>"]/g, (character) => entities[character]!);
