import type { Page } from "./page.ts";
import { read } from "./repository.ts";
import { sinkVariables } from "./sink-variables.ts";

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

const variables = sinkVariables();

function variableTable(name: string): string {
  const own = variables.get(name)!;
  if (own.length === 0) return "No variables: `--out FILE` names the file.";
  const rows = own.map(
    ({ name, isRequired, option, meaning }) =>
      `| \`${name}\` | ${isRequired ? "yes" : "no"} | \`${option}\` | ${meaning.replaceAll("|", "\\|")} |`,
  );
  return ["| variable | required | option in code | |", "|---|---|---|---|", ...rows].join("\n");
}

function commandOf(name: string): string {
  const required = variables.get(name)!.filter(({ isRequired }) => isRequired);
  const exports = required.map((variable) => `export ${variable.name}=…`);
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
