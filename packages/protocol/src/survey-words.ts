import { ratingBounds, ratingFits } from "./rating-scale.ts";
import { type SurveyDefinition, type SurveyTranslation } from "./survey.ts";

/** What a person reads of a survey, in their language and fitting their rating (contract, section "Extensions"). */
export interface SurveyWords {
  question: string;
  followUpQuestion?: string;
  endLabels: { low?: string; high?: string };
  /** At most four; none without a rating or for one in the middle. */
  suggestions: string[];
}

const isText = (value: unknown): value is string => typeof value === "string";
const canonical = (tag: string) => tag.toLowerCase().replaceAll("_", "-");
const languageOf = (tag: string) => canonical(tag).split("-")[0];

/** The exact tag, else the longest one that begins it, else the first of the same language. */
function translationFor(translations: SurveyDefinition["translations"], tag: string): SurveyTranslation {
  const known = Object.entries(translations ?? {});
  for (let wanted = canonical(tag); wanted; wanted = wanted.slice(0, Math.max(0, wanted.lastIndexOf("-")))) {
    const exact = known.find(([one]) => canonical(one) === wanted);
    if (exact) return exact[1] ?? {};
  }
  return known.find(([one]) => languageOf(one) === languageOf(tag))?.[1] ?? {};
}

/**
 * The words of a survey. Fields that a translation lacks, or that are no text, are the survey's own. Without zod, so that
 * a browser may import it.
 *
 * @param language BCP 47 tag; empty for the survey's own words
 * @param rating chooses the follow-up question and the suggestions, by its label
 */
export function surveyWords(survey: SurveyDefinition, language = "", rating?: number): SurveyWords {
  const translation = translationFor(survey.translations, language);
  const [, , low, high] = ratingBounds[survey.type];
  const fits = rating !== undefined && ratingFits(survey, rating);
  const band = !fits ? undefined : rating <= low ? "low" : rating < high ? "middle" : "high";
  const first = (...texts: unknown[]) => texts.find(isText);
  const followUpOf = ({ followUpQuestions, followUpQuestion }: SurveyTranslation) =>
    first(band && followUpQuestions?.[band], followUpQuestion);
  const suggestions =
    band && band !== "middle" ? (translation.suggestions?.[band] ?? survey.suggestions?.[band]) : undefined;
  return {
    question: first(translation.question) ?? survey.question,
    followUpQuestion: followUpOf(translation) ?? followUpOf(survey),
    endLabels: {
      low: first(translation.endLabels?.low, survey.endLabels?.low),
      high: first(translation.endLabels?.high, survey.endLabels?.high),
    },
    suggestions: Array.isArray(suggestions) ? suggestions.filter(isText).slice(0, 4) : [],
  };
}
