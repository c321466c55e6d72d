import { isThumbs, ratingFits, ratingScales, ratingsText } from "@afterword/protocol/rating-scale";
import type { SurveyWords } from "@afterword/protocol";
import type { Ask } from "./ask.ts";

/** Where the survey is shown. */
export interface TerminalConversation {
  write(text: string): void;
  /** The next line that the person types; `undefined` when the input has ended. */
  readLine(): Promise<string | undefined>;
}

/** How a survey in a terminal has ended. */
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
export async function runTerminalSurvey(
  ask: Ask,
  conversation: TerminalConversation,
): Promise<TerminalOutcome> {
  const { survey } = ask;
  const { min, max } = ratingScales[survey.type];
  const { question, endLabels } = ask.words();
  const [low, high, or] = isThumbs(survey) ? ["down", "up", "or"] : [undefined, undefined, "to"];
  const end = (value: number, label?: string) => (label ? `${value} ${plain(label)}` : `${value}`);
  const ends = `${end(min, endLabels.low ?? low)} ${or} ${end(max, endLabels.high ?? high)}`;
  conversation.write(`\n${plain(question)}\n`);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    conversation.write(`  ${ends}, Enter to skip: `);
    const line = await conversation.readLine();
    if (line === undefined) return { outcome: "unanswered" };
    if (line.trim() === "") {
      await ask.dismiss();
      return { outcome: "dismissed" };
    }
    // Number() would also accept 0x5 and 1e0.
    const rating = /^\s*\d{1,2}\s*$/.test(line) ? Number(line) : NaN;
    if (ratingFits(survey, rating)) return answer(ask, rating, conversation);
    conversation.write(`  Please type ${ratingsText(survey)}.\n`);
  }
  return { outcome: "unanswered" };
}

async function answer(
  ask: Ask,
  rating: number,
  conversation: TerminalConversation,
): Promise<TerminalOutcome> {
  const text = await followUp(ask.words(rating), conversation);
  await ask.submit({ rating, text });
  conversation.write("  Thank you.\n");
  return text === undefined ? { outcome: "answered", rating } : { outcome: "answered", rating, text };
}

/** A suggestion becomes the person's text when its number is typed. */
async function followUp(
  { followUpQuestion, suggestions }: SurveyWords,
  { write, readLine }: TerminalConversation,
): Promise<string | undefined> {
  if (!followUpQuestion) return undefined;
  write(`${plain(followUpQuestion)}\n`);
  suggestions.forEach((suggestion, index) => write(`  ${index + 1} ${plain(suggestion)}\n`));
  write(`  ${suggestions.length > 0 ? "Your own words, or a number; " : ""}Enter to skip: `);
  const line = (await readLine())?.trim();
  const suggestion = line && /^\d$/.test(line) ? suggestions[Number(line) - 1] : undefined;
  return (suggestion ?? line) || undefined;
}
