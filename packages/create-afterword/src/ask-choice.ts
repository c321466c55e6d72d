import { cancel, type CommonOptions, isCancel, select, text } from "@clack/prompts";
import { Problem } from "./problem.ts";
import { templates } from "./templates.ts";

async function answerTo(question: Promise<string | symbol>, terminal: CommonOptions): Promise<string> {
  const answer = await question;
  if (!isCancel(answer)) return answer as string;
  cancel("Nothing was created.", terminal);
  throw new Problem("", 130);
}

/** Asks the person at the terminal which template they want. */
export function askTemplate(terminal: CommonOptions): Promise<string> {
  const options = Object.entries(templates).map(([hint, { title: label }]) => ({ value: hint, label, hint }));
  return answerTo(select({ message: "Which app?", options, ...terminal }), terminal);
}

export function askFolder(terminal: CommonOptions): Promise<string> {
  const asked = { message: "In which folder?", placeholder: "my-app", defaultValue: "my-app" };
  return answerTo(text({ ...asked, ...terminal }), terminal);
}
