import { type AskFacts } from "../store/store.ts";
import { type GatingRules } from "../store/project.ts";

/** The window of the monthly cap: rolling, not a calendar month (decision D70). */
const monthInMs = 30 * 24 * 60 * 60_000;

/** Whether no survey at all may be asked now: quiet period or monthly cap. */
function isRespondentGated(rules: GatingRules, asks: AskFacts["asks"], now: number): boolean {
  const { quietPeriodInMs, monthlyCap } = rules;
  if (quietPeriodInMs !== undefined && asks.some((ask) => ask.at > now - quietPeriodInMs)) return true;
  if (monthlyCap === undefined) return false;
  const recent = asks.filter((ask) => ask.at > now - monthInMs);
  return recent.reduce((sum, ask) => sum + ask.times, 0) >= monthlyCap;
}

/** What gating says of one respondent at one moment. */
export interface Eligibility {
  /** Surveys answered or dismissed, each once. */
  suppression: string[];
  /** Of the surveys offered, those that may be asked. */
  eligible: string[];
}

/**
 * The only place where tokens are withheld (contract section 1): suppression, quiet period, monthly cap and the
 * survey's maximum, all decided when tokens are issued and never when they are spent.
 */
export function eligibility(
  rules: GatingRules,
  maximumBySurveyId: ReadonlyMap<string, number>,
  offered: readonly string[],
  facts: AskFacts,
  now: number,
): Eligibility {
  const asked = new Set(facts.asks.map((ask) => ask.surveyId));
  const isFull = (surveyId: string) =>
    (facts.responseCounts.get(surveyId) ?? 0) >= (maximumBySurveyId.get(surveyId) ?? Infinity);
  const eligible = isRespondentGated(rules, facts.asks, now)
    ? []
    : offered.filter((surveyId) => !asked.has(surveyId) && !isFull(surveyId));
  return { suppression: [...asked], eligible };
}
