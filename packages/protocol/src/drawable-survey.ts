import { type SurveyDefinition } from "./survey.ts";

const kinds = /^(nps|csat|ces|pmf) (corner|inline|banner)$/;

/**
 * Whether a client can put this survey before a person: its words are text, and its type and presentation are those of
 * the contract (section 2.1); `null`, which some serializers write, counts as absent. Without zod and small, so that a
 * browser may import it. Lengths are the service's business, and targeting is judged where it is applied.
 */
export function isDrawable(survey: unknown): survey is SurveyDefinition {
  const { slug, question, followUpQuestion, type, presentation, endLabels } = Object(
    survey,
  ) as SurveyDefinition;
  const { low, high } = endLabels ?? {};
  return (
    [slug, question, type, presentation, followUpQuestion ?? "", low ?? "", high ?? ""].every(
      (text) => typeof text === "string",
    ) && kinds.test(`${type} ${presentation}`)
  );
}
