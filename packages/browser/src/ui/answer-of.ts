import type { SurveyDefinition } from "@afterword/protocol";
import { ratingBounds } from "@afterword/protocol/rating-scale";
import type { SurveyAnswer, SurveyAppearance } from "../core/survey/index.ts";
import type { Flow } from "./survey-flow.ts";

/** Whether to offer "may we contact you": by default with the follow-up question of a low rating. */
export function offersContact(
  { type, followUpQuestion }: Pick<SurveyDefinition, "type" | "followUpQuestion">,
  when: SurveyAppearance["askFollowUp"],
  rating: number,
): boolean {
  return when === "always" || (when !== "never" && !!followUpQuestion && rating <= ratingBounds[type][2]);
}

/** The answer to send. Text and contact request count only while their field and checkbox are on screen. */
export function answerOf(
  { rating, text, followUpRequested }: Flow,
  survey: Pick<SurveyDefinition, "type" | "followUpQuestion">,
  askFollowUp?: SurveyAppearance["askFollowUp"],
): SurveyAnswer {
  return {
    rating: rating!,
    text: (survey.followUpQuestion && text?.trim()) || undefined,
    followUpRequested: (offersContact(survey, askFollowUp, rating!) && followUpRequested) || undefined,
  };
}
