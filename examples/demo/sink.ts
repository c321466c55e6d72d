import { existsSync, readFileSync } from "node:fs";

/** The demo's sink: a real service if its variables are set, otherwise a file. */
export function chooseSink(environment: NodeJS.ProcessEnv, file: string): { name: string; flags: string[] } {
  if (environment["PHOENIX_BASE_URL"]) return { name: "Phoenix", flags: ["--sink", "phoenix"] };
  if (environment["LANGFUSE_SECRET_KEY"]) return { name: "Langfuse", flags: ["--sink", "langfuse"] };
  return { name: "scores.jsonl", flags: ["--sink", "jsonl", "--out", file] };
}

/** The score of a session and survey in the sink's file, if it has arrived. */
export function scoreInFile(file: string, sessionId: string, surveyId: string): object | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines
    .map((line) => JSON.parse(line) as { sessionId: string; surveyId: string })
    .find((score) => score.sessionId === sessionId && score.surveyId === surveyId);
}
