import type { AskingParts } from "./asking-parts.ts";
import type { InstalledToken, RateOptions } from "./options.ts";
import type { Outbox } from "./outbox.ts";
import { outgoing, responses } from "./outgoing.ts";
import type { SubmitResult, SurveyAnswer } from "./survey-view.ts";

/** What `rate` is called with, after whether consent allows it. */
export type RateArguments = [
  mayAsk: boolean,
  run: InstalledToken,
  answer: SurveyAnswer,
  options?: RateOptions,
];

/** Sends a rating that the person gave outside a survey, through the outbox. Never rejects. */
export async function rate(
  parts: AskingParts,
  outbox: Outbox,
  ...[mayAsk, run, answer, options]: RateArguments
): Promise<SubmitResult> {
  try {
    const entry = outgoing(responses, run.surveyId, parts.identity.current(), run, parts.isPrivate(), answer);
    if (mayAsk) return await outbox.add(entry, options);
    parts.useWords((words) => words.tellNoConsent(parts));
  } catch (error) {
    parts.report(error);
  }
  return "refused";
}
