import survivors from "./survivors.json" with { type: "json" };

interface Position {
  line: number;
  column: number;
}

interface Mutant {
  status: "Killed" | "Timeout" | "Survived" | "NoCoverage" | "Ignored" | "RuntimeError" | "CompileError";
  replacement: string;
  location: { start: Position; end: Position };
}

/** What is used of a report in the schema of mutation-testing-elements. */
export interface Report {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}

const longestName = 160;

/** Names a mutant by its change, because line numbers would go stale. A long name is cut. */
function nameOf(source: string, { location: { start, end }, replacement }: Mutant): string {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const before = lines[0]!.slice(0, start.column - 1);
  lines[lines.length - 1] = lines.at(-1)!.slice(0, end.column - 1);
  const original = lines.join("\n").slice(before.length);
  const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();
  const change = `${oneLine(original)} → ${oneLine(replacement) || "nothing"}`;
  return change.length > longestName ? `${change.slice(0, longestName)}…` : change;
}

const listed: Record<string, { mutants: string[] }[]> = survivors;

/** The score of a report, and the mutants that no test has noticed and survivors.json does not name. */
export function judge({ files }: Report) {
  const count = { mutants: 0, killed: 0 };
  const unexplained: string[] = [];
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const explained = new Set(listed[file]?.flatMap(({ mutants }) => mutants));
    for (const mutant of mutants) {
      if (["Ignored", "RuntimeError", "CompileError"].includes(mutant.status)) continue;
      count.mutants += 1;
      if (mutant.status === "Killed" || mutant.status === "Timeout") count.killed += 1;
      else if (!explained.has(nameOf(source, mutant))) unexplained.push(`${file}: ${nameOf(source, mutant)}`);
    }
  }
  return { ...count, score: Math.floor((1000 * count.killed) / count.mutants) / 10, unexplained };
}
