import * as z from "zod";
import { ratingScales, type SurveyType } from "./rating-scale.ts";
import { identifier, languageTag } from "./strings.ts";

/** The comparison of a targeting rule. Nothing is coerced; an unknown operator matches nothing. */
export type TargetingOperator = "eq" | "neq" | "in" | "gt" | "lt" | "gte" | "lte" | "exists";

/** One condition on a respondent's traits; all rules of a survey must match. */
export interface TargetingRule {
  trait: string;
  op: TargetingOperator;
  value?: unknown;
}

/** A survey as clients receive it (contract section 2.1). */
export interface SurveyDefinition {
  id: string;
  slug: string;
  type: SurveyType;
  /** Whether a csat survey takes 1 and 5 alone, thumbs down and up; an extension. Default false. */
  thumbs?: boolean;
  question: string;
  followUpQuestion?: string;
  presentation: "corner" | "inline" | "banner";
  /** Default `bottom-right`; clients may turn it to `bottom-left` for right-to-left text. */
  corner?: "bottom-right" | "bottom-left" | "top-right" | "top-left";
  /** `auto` asks by itself once the task is resolved, `manual` waits for `ask(slug)`. */
  trigger: "auto" | "manual";
  /** Delay before an allowed survey shows, in milliseconds. Default 0. */
  delayMs?: number;
  /** Percentage of respondents to ask, 0 to 100. Default 100. */
  samplePercent?: number;
  targeting?: TargetingRule[];
  showBadge?: boolean;
  endLabels?: { low?: string; high?: string };
  /** Follow-up questions by the label of the rating; `followUpQuestion` where one is missing. */
  followUpQuestions?: { low?: string; middle?: string; high?: string };
  /** Reasons that a person may take over into their text, up to four for low and for high ratings. */
  suggestions?: { low?: string[]; high?: string[] };
  /** The words in other languages, by BCP 47 tag; a missing one is the survey's own. */
  translations?: Record<string, SurveyTranslation>;
}

/** The words of a survey in one language. */
export type SurveyTranslation = Partial<
  Pick<SurveyDefinition, "question" | "followUpQuestion" | "endLabels" | "followUpQuestions" | "suggestions">
>;

const text = (maximum: number) => z.string().min(1).max(maximum);

export const targetingRule = z.object({
  trait: z.string().min(1),
  op: z.enum(["eq", "neq", "in", "gt", "lt", "gte", "lte", "exists"]),
  value: z.unknown().optional(),
});

const question = text(1000);
const endLabels = z.object({ low: text(100).optional(), high: text(100).optional() });

// Strict, so that an import does not pass over a misspelt field; openapi.yaml lets replies have others.
const followUpQuestions = z.strictObject({
  low: question.optional(),
  middle: question.optional(),
  high: question.optional(),
});
const reasons = z.array(text(80)).max(4);
const suggestions = z.strictObject({ low: reasons.optional(), high: reasons.optional() });
const translation = z.strictObject({
  question: question.optional(),
  followUpQuestion: question.optional(),
  endLabels: endLabels.strict().optional(),
  followUpQuestions: followUpQuestions.optional(),
  suggestions: suggestions.optional(),
});

const scales = Object.entries(ratingScales);

export const surveyDefinition = z.object({
  id: identifier(64),
  slug: identifier(64),
  type: z.enum(["nps", "csat", "ces", "pmf"]).meta({
    "description": `The scale of its ratings: ${scales.map(([type, { min, max }]) => `${type} ${min} to ${max}`).join(", ")}.`,
    "x-rating-scales": Object.fromEntries(
      scales.map(([type, { min, max }]) => [type, { minimum: min, maximum: max }]),
    ),
  }),
  thumbs: z
    .boolean()
    .optional()
    .describe("A csat survey that takes 1 and 5 alone, down and up. Default false."),
  question,
  followUpQuestion: question.optional(),
  presentation: z.enum(["corner", "inline", "banner"]),
  corner: z.enum(["bottom-right", "bottom-left", "top-right", "top-left"]).optional(),
  trigger: z.enum(["auto", "manual"]),
  delayMs: z.number().min(0).optional(),
  samplePercent: z.number().min(0).max(100).optional(),
  targeting: z.array(targetingRule).max(50).optional(),
  showBadge: z.boolean().optional(),
  endLabels: endLabels.optional(),
  followUpQuestions: followUpQuestions.optional(),
  suggestions: suggestions.optional(),
  translations: z.record(languageTag, translation).optional(),
});
