import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import { isDrawable } from "@afterword/protocol/drawable-survey";
import { isSampled } from "@afterword/protocol/sampling";
import { isTargeted } from "@afterword/protocol/targeting";
import type { Respondent } from "./respondent.ts";

/** Why a survey is not shown; the same words as in the browser. `unsupported`: its definition is not of the contract. */
export type NotAskedReason = "unsupported" | "suppressed" | "targeting" | "sampling" | "gated";

export interface AskCircumstances {
  respondent: Respondent;
  definitions: BootstrapReply;
  /** Whether this client has already had an answer or a dismissal. */
  wasAsked: boolean;
  /** Whether a session-bound token is installed for the survey. */
  isLinked: boolean;
}

/**
 * Why this respondent must not be shown this survey; `undefined` when they may. Caps and the quiet period are the
 * service's, which gives no token then; targeting and sampling are decided here (decision D75).
 */
export function whyNotAsked(survey: SurveyDefinition, now: AskCircumstances): NotAskedReason | undefined {
  const { respondent, definitions } = now;
  if (!isDrawable(survey) || !canBeApplied(survey)) return "unsupported";
  if (now.wasAsked || [definitions.suppression].flat().includes(survey.id)) return "suppressed";
  if (!isTargeted(survey.targeting, respondent.traits)) return "targeting";
  if (!isSampled(respondent.id, survey.id, survey.samplePercent)) return "sampling";
  return now.isLinked || typeof definitions.showTokens?.[survey.id] === "string" ? undefined : "gated";
}

const canBeApplied = ({ targeting, samplePercent }: SurveyDefinition) =>
  (targeting == null || (Array.isArray(targeting) && targeting.every(Boolean))) &&
  typeof (samplePercent ?? 100) === "number";
