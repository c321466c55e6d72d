import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Ask } from "./respondent/ask.ts";
import { runTerminalSurvey, type TerminalOutcome } from "./respondent/terminal-survey.ts";

/** Where `askInTerminal` reads and writes. */
export interface AskInTerminalOptions {
  /** Default standard input, if it is a terminal; a pipe is asked only when it is given here. */
  input?: (Readable & { isTTY?: boolean }) | undefined;
  /** Default standard output. */
  output?: Writable | undefined;
}

/**
 * Shows a survey in a terminal and stores the answer, or a dismissal for an empty line. Resolves to `unanswered`, and
 * sends nothing, without a terminal, or when the input ends.
 */
export async function askInTerminal(ask: Ask, options: AskInTerminalOptions = {}): Promise<TerminalOutcome> {
  const { input = process.stdin, output = process.stdout } = options;
  if (!options.input && !process.stdin.isTTY) return { outcome: "unanswered" };
  const lines = createInterface({ input, output, terminal: input.isTTY ?? false });
  const reader = lines[Symbol.asyncIterator]();
  try {
    return await runTerminalSurvey(ask, {
      write: (text) => void output.write(text),
      readLine: async () => (await reader.next()).value,
    });
  } finally {
    lines.close();
  }
}

export type { TerminalOutcome } from "./respondent/terminal-survey.ts";
export type { Ask, StoredAnswer } from "./respondent/ask.ts";
export type { IngestOk, SurveyDefinition, SurveyWords } from "@afterword/protocol";
