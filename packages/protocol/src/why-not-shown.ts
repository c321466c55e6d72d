import { samplePosition } from "./sampling.ts";
import { type SurveyDefinition } from "./survey.ts";
import { type BootstrapReply } from "./token.ts";

/** What decides about one survey and one respondent. */
export interface Circumstances {
  respondent: { id: string };
  definitions: BootstrapReply;
  /** Whether this client remembers an answer or a dismissal. */
  wasAsked: boolean;
  /** Whether a session-bound token is installed for the survey. */
  isLinked: boolean;
  /** Whether only linked ratings are wanted. */
  linkedOnly?: boolean;
}

/** Why a survey is not shown. `unsupported`: the definition or its id breaks the contract. */
export type WhyNotShown = "unsupported" | "suppressed" | "sampling" | "unlinked" | "gated";

/**
 * Why this respondent must not be shown this survey; `undefined` when they may, if `whyNotTargeted` agrees. The service
 * decides on caps and the quiet period and gives no token then (contract section 1); the client decides on targeting and
 * sampling. Without zod and small, so that a browser may import it.
 */
export function whyNotShown(
  survey: SurveyDefinition,
  now: Circumstances & { linkedOnly?: undefined },
): Exclude<WhyNotShown, "unlinked"> | undefined;
export function whyNotShown(survey: SurveyDefinition, now: Circumstances): WhyNotShown | undefined;
export function whyNotShown(survey: SurveyDefinition, now: Circumstances): WhyNotShown | undefined {
  try {
    const { id, samplePercent } = survey;
    const { respondent, definitions } = now;
    if (now.wasAsked || definitions.suppression?.includes(id)) return "suppressed";
    if (samplePosition(respondent.id, id) >= (samplePercent ?? 100)) return "sampling";
    if (now.isLinked) return undefined;
    if (now.linkedOnly) return "unlinked";
    return typeof definitions.showTokens?.[id] === "string" ? undefined : "gated";
  } catch {
    // For example an id that is not text.
    return "unsupported";
  }
}
