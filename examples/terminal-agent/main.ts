import { createInterface } from "node:readline/promises";
import { Afterword, AfterwordRespondent, withFeedback } from "@afterword/node";
import { askInTerminal } from "@afterword/node/terminal";

// AFTERWORD_SECRET_KEY=… AFTERWORD_PUBLISHABLE_KEY=… AFTERWORD_BASE_URL=… node main.ts

const person = `terminal-${process.env["USER"] ?? "user"}-${crypto.randomUUID()}`;
const { locale } = Intl.DateTimeFormat().resolvedOptions();
const respondent = new AfterwordRespondent({ userId: person, language: locale });

/** Stands in for an agent: computes a sum such as `2 + 3 + 4`. */
async function sum(task: string): Promise<number> {
  const numbers = task.split("+").map(Number);
  if (numbers.some(Number.isNaN)) throw new RangeError("I can only add numbers, such as 2 + 3.");
  return numbers.reduce((total, number) => total + number, 0);
}

async function readTask(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const task = await terminal.question("What shall I add? ");
  terminal.close();
  return task;
}

const { result, feedback } = withFeedback(sum(process.argv[2] ?? (await readTask())), {
  client: new Afterword(),
  respondentId: person,
  sessionId: `run-${crypto.randomUUID()}`,
  taskType: "sum",
  surveyId: "task-done",
});
console.log(await result);

const minted = await feedback;
for (const [surveyId, token] of Object.entries(minted?.tokens ?? {})) {
  respondent.install({ surveyId, token, ...minted!, taskType: "sum" });
}
const ask = await respondent.nextAsk();
if (ask) console.log((await askInTerminal(ask, { input: process.stdin })).outcome);
