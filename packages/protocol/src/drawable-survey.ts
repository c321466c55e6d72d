import { type SurveyDefinition } from "./survey.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value !== "";
const isNumber: Check = (value) => typeof value === "number" && value >= 0;
const isOneOf =
  (...words: unknown[]): Check =>
  (value) =>
    words.includes(value);
// Some serializers write null for what is absent.
const isOptional =
  (check: Check): Check =>
  (value) =>
    value == null || check(value);
const isObject =
  (checks: Record<string, Check>): Check =>
  (value) =>
    Object(value) === value &&
    !Array.isArray(value) &&
    Object.entries(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));

const check = isObject({
  id: isText,
  slug: isText,
  type: isOneOf("nps", "csat", "ces", "pmf"),
  question: isText,
  followUpQuestion: isOptional(isText),
  presentation: isOneOf("corner", "inline", "banner"),
  corner: isOptional(isOneOf("bottom-right", "bottom-left", "top-right", "top-left")),
  delayMs: isOptional(isNumber),
  samplePercent: isOptional(isNumber),
  targeting: isOptional((rules) => Array.isArray(rules) && rules.every(isObject({ trait: isText }))),
  showBadge: isOptional(isOneOf(true, false)),
  endLabels: isOptional(isObject({ low: isOptional(isText), high: isOptional(isText) })),
});

/**
 * Whether a client can put this survey before a person: the fields that it draws and decides by have the types of the
 * contract (section 2.1). Without zod, so that a browser may import it; lengths are the service's business. An
 * operator that is unknown stays allowed: it matches nobody (decision D76).
 */
export const isDrawable = (survey: unknown): survey is SurveyDefinition => check(survey);
