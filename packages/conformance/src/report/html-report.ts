import { type ClauseResult } from "../run-clauses.ts";
import { bySection, escaped, inWords, outcomeNames, type Summary } from "./summary.ts";

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dde3, #3a4149); --soft: light-dark(#57606a, #9aa4af);
  --passed: light-dark(#1a7f37, #57ab5a); --failed: light-dark(#b42318, #f47067); --other: light-dark(#7d5a00, #d4a72c); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { color: var(--soft); margin-top: .25rem; }
table { border-collapse: collapse; width: 100%; } td { border-top: 1px solid var(--line); padding: .4rem 0; vertical-align: top; }
td:first-child { width: 7.5rem; font-weight: 600; } small { color: var(--soft); display: block; white-space: pre-wrap; overflow-wrap: anywhere; }
.passed { color: var(--passed); } .failed { color: var(--failed); } .notOffered, .notTestable { color: var(--other); }
@media (max-width: 34rem) { td, td:first-child { display: block; width: auto; } td:last-child { border: 0; padding-top: 0; } }
`;

const row = ({ title, outcome, detail }: ClauseResult) =>
  `<tr><td class="${outcome}">${outcomeNames[outcome]}</td><td>${escaped(title)}${
    detail ? `<small>${escaped(detail)}</small>` : ""
  }</td></tr>`;

const section = ([, clauses]: [string, ClauseResult[]]) =>
  `<h2>${escaped(clauses[0]!.heading)}</h2>\n<table>\n${clauses.map(row).join("\n")}\n</table>`;

/** The results as a page that needs no other file: failures first, then each section. */
export function htmlReport(summary: Summary, subject: string): string {
  const failed = summary.clauses.filter(({ outcome }) => outcome === "failed");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>Conformance of ${escaped(subject)}</title>
<style>${style}</style>
<h1>Conformance</h1>
<p>${escaped(subject)}: ${inWords(summary)}</p>
${failed.length > 0 ? `<h2>Failures</h2>\n<table>\n${failed.map(row).join("\n")}\n</table>` : ""}
${bySection(summary.clauses).map(section).join("\n")}
</html>
`;
}
