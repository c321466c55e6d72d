import type { AskAgain, AskFacts, GatingRules, Suppression, SurveyRecord } from "../store/store.ts";

/** Length of the monthly cap's period: rolling, not a calendar month. */
export const monthInMs = 30 * 24 * 60 * 60_000;

type SurveySettings = Pick<SurveyRecord, "askAgain" | "unprompted" | "sampling" | "maximum">;

export interface GatedProject {
  gating: GatingRules;
  everySurveyById: ReadonlyMap<string, SurveySettings>;
}

/** The surveys that tokens are requested for, and what is known of the respondent. */
export interface GatingQuestion {
  offered: readonly string[];
  facts: AskFacts;
  now: number;
  /** Whether the tokens are minted for a run. */
  isBound: boolean;
}

export interface Eligibility {
  /** Surveys answered or dismissed that are not to be asked again, each once. */
  suppression: string[];
  /** The ids of the offered surveys that may be asked. */
  eligible: string[];
  /** Why each of the others may not. */
  withheld: [surveyId: string, reason: "gated" | "maximum"][];
}

/** The limit on the responses of a survey; its own goes before the project's. */
export const maximumOf = ({ gating }: Pick<GatedProject, "gating">, { maximum }: SurveySettings) =>
  maximum ?? gating.surveyMaximum;

type EachRun = Extract<AskAgain, { eachRun: true }>;

/** Says whether a survey is asked once in each run, and so by minted tokens alone. */
export function isEachRun(survey: SurveySettings | undefined): survey is { askAgain: EachRun } {
  return survey?.askAgain !== undefined && "eachRun" in survey.askAgain;
}

/**
 * Counts the answers and dismissals within a span, each once. `suppression` has the last ones of each survey, `asks` the
 * newest of all surveys, but only those since the project has a monthly cap.
 */
function countWithin(project: GatedProject, { facts, now }: GatingQuestion, spanInMs: number): number {
  const numbers = new Map<string, number>();
  const count = (surveyId: string, at: number, number: number) => {
    const isCounted = at > now - spanInMs && !project.everySurveyById.get(surveyId)?.unprompted;
    if (isCounted) numbers.set(`${at} ${surveyId}`, number);
  };
  for (const { surveyId, answeredAt, dismissedAt } of facts.suppression) {
    count(surveyId, answeredAt, 1);
    count(surveyId, dismissedAt, 1);
  }
  for (const ask of facts.asks) count(ask.surveyId, ask.at, ask.times);
  return [...numbers.values()].reduce((sum, number) => sum + number, 0);
}

/** Says whether the quiet period or the monthly cap now forbids all surveys except `unprompted` ones. */
function isRespondentGated(project: GatedProject, question: GatingQuestion): boolean {
  const { quietPeriodInMs, monthlyCap } = project.gating;
  if (quietPeriodInMs !== undefined && countWithin(project, question, quietPeriodInMs) > 0) return true;
  return monthlyCap !== undefined && countWithin(project, question, monthInMs) >= monthlyCap;
}

/** Says whether what a respondent has answered or dismissed keeps a survey from being asked (decisions O90, O92 and O93). */
function isSuppressed(
  { askAgain }: SurveySettings,
  { surveyId, answeredAt, dismissedAt, isPermanent }: Suppression,
  { facts, now, isBound }: GatingQuestion,
): boolean {
  if (isPermanent || askAgain === undefined) return true;
  const isDismissed = dismissedAt > now - askAgain.afterDismissalInMs;
  if ("afterInMs" in askAgain) return isDismissed || answeredAt > now - askAgain.afterInMs;
  return isBound && (isDismissed || facts.surveyIdsOfRun.has(surveyId));
}

/**
 * The only place where tokens are withheld (contract section 1): suppression, quiet period, monthly cap and the
 * survey's maximum, all decided when tokens are issued and never when they are spent.
 */
export function eligibility(project: GatedProject, question: GatingQuestion): Eligibility {
  const { offered, facts, isBound } = question;
  const settingsOf = (surveyId: string) => project.everySurveyById.get(surveyId) ?? {};
  const suppression = facts.suppression
    .filter((known) => isSuppressed(settingsOf(known.surveyId), known, question))
    .map(({ surveyId }) => surveyId);
  const isFull = (surveyId: string) =>
    (facts.responseCounts.get(surveyId) ?? 0) >= (maximumOf(project, settingsOf(surveyId)) ?? Infinity);
  const isGated = isRespondentGated(project, question);
  const reasonOf = (surveyId: string) => {
    const survey = settingsOf(surveyId);
    const isForRuns = isEachRun(survey) || survey.sampling !== undefined;
    const isAsked = (isBound || !isForRuns) && !suppression.includes(surveyId);
    if (!isAsked || (isGated && !survey.unprompted)) return "gated";
    return isFull(surveyId) ? "maximum" : undefined;
  };
  const eligible: string[] = [];
  const withheld: Eligibility["withheld"] = [];
  for (const surveyId of offered) {
    const reason = reasonOf(surveyId);
    if (reason) withheld.push([surveyId, reason]);
    else eligible.push(surveyId);
  }
  return { suppression, eligible, withheld };
}
