import { ratingFits, ratingScales } from "@afterword/protocol/rating-scale";
import type { Ask } from "./ask.ts";

/** Where the survey is shown. */
export interface TerminalConversation {
  write(text: string): void;
  /** The next line that the person types; `undefined` when the input has ended. */
  readLine(): Promise<string | undefined>;
}

export type TerminalOutcome =
  | { outcome: "answered"; rating: number; text?: string }
  /** The person skipped it; they are not asked again. */
  | { outcome: "dismissed" }
  /** The input ended or was never valid: nothing was sent. */
  | { outcome: "unanswered" };

const attempts = 3;

/** Removes control characters, since texts come from a server and must not control the terminal. */
const plain = (text: string) => text.replaceAll(/\p{Cc}/gu, " ");

/** Asks for the rating and then the follow-up question, if the survey has one. An empty line skips. */
export async function holdSurvey(ask: Ask, conversation: TerminalConversation): Promise<TerminalOutcome> {
  const { survey } = ask;
  const { min, max } = ratingScales[survey.type];
  const { low, high } = survey.endLabels ?? {};
  const end = (value: number, label?: string) => (label ? `${value} ${plain(label)}` : `${value}`);
  conversation.write(`\n${plain(survey.question)}\n`);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    conversation.write(`  ${end(min, low)} to ${end(max, high)}, Enter to skip: `);
    const line = await conversation.readLine();
    if (line === undefined) return { outcome: "unanswered" };
    if (line.trim() === "") {
      await ask.dismiss();
      return { outcome: "dismissed" };
    }
    // Number() would also accept 0x5 and 1e0.
    const rating = /^\s*\d{1,2}\s*$/.test(line) ? Number(line) : NaN;
    if (ratingFits(survey.type, rating)) return answer(ask, rating, conversation);
    conversation.write(`  Please type a whole number from ${min} to ${max}.\n`);
  }
  return { outcome: "unanswered" };
}

async function answer(
  ask: Ask,
  rating: number,
  conversation: TerminalConversation,
): Promise<TerminalOutcome> {
  const text = await followUp(ask, conversation);
  await ask.submit({ rating, text });
  conversation.write("  Thank you.\n");
  return text === undefined ? { outcome: "answered", rating } : { outcome: "answered", rating, text };
}

async function followUp({ survey }: Ask, conversation: TerminalConversation): Promise<string | undefined> {
  if (!survey.followUpQuestion) return undefined;
  conversation.write(`${plain(survey.followUpQuestion)}\n  Enter to skip: `);
  const line = await conversation.readLine();
  return line?.trim() || undefined;
}
