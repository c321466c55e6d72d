import type { Page } from "./page.ts";
import { read } from "./repository.ts";

// One page for each sink, out of the table of all sinks, the table of run references, and the code that reads its variables.

const source = "docs/node/sinks.md";

const names: Readonly<Record<string, string>> = {
  jsonl: "A file (jsonl)",
  langfuse: "Langfuse",
  phoenix: "Phoenix",
  datadog: "Datadog",
  opik: "Opik",
  langsmith: "LangSmith",
  mlflow: "MLflow",
  braintrust: "Braintrust",
  otlp: "OpenTelemetry (otlp)",
  webhook: "Webhook",
};

/** The rows of the table whose head begins so. */
function tableOf(path: string, head: string): string[][] {
  const [, rest] = read(path).split(`\n| ${head}`);
  if (rest === undefined) throw new Error(`${path} has no table that begins with ${head}`);
  const lines = `| ${head}${rest.split("\n\n")[0]!}`.split("\n").filter((line) => line.startsWith("|"));
  return lines.map((line) => line.slice(2, -2).split(" | "));
}

/** What the options of a sink say about themselves, by name. */
function optionsOf(name: string): Map<string, string> {
  const words = new Map<string, string>();
  const documented = /\/\*\*([\s\S]*?)\*\/\n\s+(\w+)\??:/g;
  for (const [, comment = "", option = ""] of read(`packages/node/src/sinks/${name}.ts`).matchAll(documented))
    words.set(option, comment.replaceAll(/\s*\n?\s+\*\s+|\s+/g, " ").trim());
  return words;
}

/** Option, variable and whether it is required, as sink-choice.ts lists them. */
function variablesOf(name: string): { option: string; variable: string; isRequired: boolean }[] {
  const [, block = ""] =
    new RegExp(`\\n  ${name}: fromVariables\\(\\w+, \\{\\n([\\s\\S]*?)\\n  \\}\\)`).exec(
      read("packages/node/src/commands/sink-choice.ts"),
    ) ?? [];
  return [...block.matchAll(/^\s+(\w+): (.*?)"([A-Z_]+)"/gm)].map(
    ([, option = "", before = "", variable = ""]) => ({
      option,
      variable,
      isRequired: before.includes("required("),
    }),
  );
}

function variableTable(name: string): string {
  const variables = variablesOf(name);
  if (variables.length === 0) return "No variables: `--out FILE` names the file.";
  const words = optionsOf(name);
  const rows = variables.map(
    ({ option, variable, isRequired }) =>
      `| \`${variable}\` | ${isRequired ? "yes" : "no"} | \`${option}\` | ${words.get(option) ?? ""} |`,
  );
  return ["| variable | required | option in code | |", "|---|---|---|---|", ...rows].join("\n");
}

function commandOf(name: string): string {
  const required = variablesOf(name).filter(({ isRequired }) => isRequired);
  const exports = required.map(({ variable }) => `export ${variable}=…`);
  const flags = name === "jsonl" ? " --out scores.jsonl" : "";
  const commands = [
    `npx afterword doctor --sink ${name}${flags}`,
    `npx afterword forward --sink ${name}${flags}`,
  ];
  return `\`\`\`sh\n${[...exports, ...commands].join("\n")}\n\`\`\``;
}

function pageOf([head, ...row]: string[], heads: string[], references: string[][]): Page {
  const name = /`(\w+)`/.exec(head!)![1]!;
  const facts = row.map((cell, index) => `| ${heads[index + 1]} | ${cell || "–"} |`);
  const [, span = "", trace = ""] = references.find(([sinks]) => sinks!.includes(`\`${name}\``))!;
  const label = names[name] ?? name;
  const body = [
    `The variables of the service come first: \`AFTERWORD_BASE_URL\` and \`AFTERWORD_SECRET_KEY\`. \`doctor\` checks all of them without delivering anything.`,
    commandOf(name),
    `## Variables\n\n${variableTable(name)}`,
    `## What becomes of a rating\n\n| | |\n|---|---|\n${facts.join("\n")}`,
    `## With a run reference\n\nA [run reference](run-references.md) as observation id names the same run at every sink.\n\n| observation id | the score belongs to |\n|---|---|\n| \`<trace id>-<span id>\` | ${span} |\n| \`<trace id>\` | ${trace} |`,
    `## When nothing arrives\n\n- \`doctor\` says whether the service can be reached and accepts the key.\n- \`npx afterword forward --sink ${name} --once\` ends with the last reason on standard error.\n- [Replies](#replies) says which reply lets a score wait, and which gives it up.`,
  ];
  return {
    source,
    slug: `forwarder/sinks/${name}`,
    title: label,
    description: `Deliver ratings to ${label}: variables, what becomes of a rating, and which run it belongs to.`,
    body: body.join("\n\n"),
  };
}

export function sinkPages(): Page[] {
  const [heads, , ...rows] = tableOf(source, "Sink | A score becomes");
  const [, , ...references] = tableOf("docs/node/run-references.md", "Sink | `<trace id>-<span id>`");
  return rows.map((row) => pageOf(row, heads!, references));
}
