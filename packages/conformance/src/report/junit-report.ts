import { type ClauseResult } from "../run-clauses.ts";
import { bySection, escaped, type Summary } from "./summary.ts";

function testCase({ section, title, outcome, detail = "" }: ClauseResult): string {
  const open = `    <testcase classname="${escaped(section)}" name="${escaped(title)}"`;
  if (outcome === "passed") return `${open} />`;
  const tag = outcome === "failed" ? "failure" : "skipped";
  return `${open}>\n      <${tag} message="${escaped(detail)}" />\n    </testcase>`;
}

function suite([section, clauses]: [string, ClauseResult[]]): string {
  const failed = clauses.filter(({ outcome }) => outcome === "failed").length;
  const skipped = clauses.filter(({ outcome }) => outcome.startsWith("not")).length;
  const counts = `tests="${clauses.length}" failures="${failed}" skipped="${skipped}"`;
  return [
    `  <testsuite name="${escaped(section)}" ${counts}>`,
    ...clauses.map(testCase),
    "  </testsuite>",
  ].join("\n");
}

/** The results as JUnit's XML, which CI services read: one suite for each section. */
export function junitReport(summary: Summary): string {
  const { clauses, failed, notOffered, notTestable } = summary;
  const counts = `tests="${clauses.length}" failures="${failed}" skipped="${notOffered + notTestable}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="afterword-conformance" ${counts}>`,
    ...bySection(clauses).map(suite),
    "</testsuites>\n",
  ].join("\n");
}
