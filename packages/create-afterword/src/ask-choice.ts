import { cancel, type CommonOptions, isCancel, select, text } from "@clack/prompts";
import { Problem } from "./problem.ts";
import { templates } from "./templates.ts";

function answered<Value>(value: Value, terminal: CommonOptions): Exclude<Value, symbol> {
  if (!isCancel(value)) return value as Exclude<Value, symbol>;
  cancel("Nothing was created.", terminal);
  throw new Problem("", 130);
}

/** Asks the person at the terminal which template they want. */
export async function askTemplate(terminal: CommonOptions): Promise<string> {
  const options = Object.entries(templates).map(([value, { title }]) => ({
    value,
    label: title,
    hint: value,
  }));
  return answered(await select({ message: "Which app?", options, ...terminal }), terminal);
}

export async function askFolder(terminal: CommonOptions): Promise<string> {
  const asked = { message: "In which folder?", placeholder: "my-app", defaultValue: "my-app" };
  return answered(await text({ ...asked, ...terminal }), terminal);
}
