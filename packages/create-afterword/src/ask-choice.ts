import { cancel, isCancel, select, text } from "@clack/prompts";
import { Problem } from "./problem.ts";
import { templates } from "./templates.ts";

function answered<Value>(value: Value): Exclude<Value, symbol> {
  if (!isCancel(value)) return value as Exclude<Value, symbol>;
  cancel("Nothing was created.");
  throw new Problem("", 130);
}

/** Asks the person at the terminal which template they want. */
export async function askTemplate(): Promise<string> {
  const options = Object.entries(templates).map(([value, { title }]) => ({
    value,
    label: title,
    hint: value,
  }));
  return answered(await select({ message: "Which app?", options }));
}

export async function askFolder(): Promise<string> {
  return answered(await text({ message: "In which folder?", placeholder: "my-app", defaultValue: "my-app" }));
}
