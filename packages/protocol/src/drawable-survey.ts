import { type SurveyDefinition } from "./survey.ts";

const kinds = /^(nps|csat|ces|pmf) (corner|inline|banner)$/;

/**
 * Whether a client can render this survey: its texts are strings, and its type and presentation are in the contract
 * (section 2.1); `null`, which some serializers write, counts as absent. Small and without zod, so that browsers can
 * import it. The service checks lengths; targeting is checked where it is applied.
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
