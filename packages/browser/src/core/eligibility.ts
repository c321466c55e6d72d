import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import { isSampled } from "@afterword/protocol/sampling";
import { isTargeted } from "@afterword/protocol/targeting";
import type { NotShownReason } from "./events.ts";
import type { Respondent } from "./identity.ts";

/** What decides about one survey and one respondent. */
export interface Circumstances {
  respondent: Respondent;
  definitions: BootstrapReply;
  /** Whether this device remembers an answer or a dismissal. */
  wasAsked: boolean;
  /** Whether a session-bound token is installed for the survey. */
  isLinked: boolean;
  linkedOnly?: boolean;
}

/**
 * Why this respondent must not be shown this survey; `undefined` when they may. Caps and the quiet period are the
 * service's: it gives no token (contract section 1); targeting and sampling are decided here (decision D75).
 */
export function whyNotShown(survey: SurveyDefinition, now: Circumstances): NotShownReason | undefined {
  try {
    return decide(survey, now);
  } catch {
    // What decides is not of the contract: rules that are no list, for example.
    return "unsupported";
  }
}

function decide(survey: SurveyDefinition, now: Circumstances): NotShownReason | undefined {
  const { id, targeting, samplePercent } = survey;
  const { respondent, definitions } = now;
  if (now.wasAsked || definitions.suppression?.includes(id)) return "suppressed";
  if (!isTargeted(targeting, respondent.traits)) return "targeting";
  if (!isSampled(respondent.id, id, samplePercent)) return "sampling";
  if (now.isLinked) return undefined;
  if (now.linkedOnly) return "unlinked";
  return typeof definitions.showTokens?.[id] === "string" ? undefined : "gated";
}
