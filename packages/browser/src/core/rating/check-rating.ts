import type { BootstrapReply } from "@afterword/protocol";
import { ratingBounds } from "@afterword/protocol/rating-scale";
import type { RateOptions } from "../options/index.ts";
import { type LanguageParts, wordsOfSurvey } from "../survey/index.ts";

/**
 * Compares a rating with its survey's definition: withdraws it with an error if the type differs, otherwise passes on the
 * reasons that the survey suggests for its worst rating.
 */
export async function checkRating(
  parts: LanguageParts,
  definitions: Promise<BootstrapReply | undefined>,
  surveyId: string,
  { type, language, suggest }: RateOptions,
  withdraw: () => void,
): Promise<void> {
  const { report, AfterwordError } = parts;
  const survey = (await definitions)?.surveys.find((one) => one?.id === surveyId);
  if (survey && survey.type !== type) {
    withdraw();
    report(new AfterwordError("invalid_argument", `survey ${surveyId} is ${survey.type} and not ${type}`));
  } else if (survey?.suggestions ?? survey?.translations)
    suggest?.(wordsOfSurvey(parts, survey!, language)(ratingBounds[type!][0]).suggestions);
  else suggest?.([]);
}
