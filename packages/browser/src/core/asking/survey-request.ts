import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import type { Candidate } from "./asking.ts";
import type { AskOptions, InstalledToken } from "../options/index.ts";
import type { Page } from "../page/index.ts";

/** A survey that the host page requested; without a slug, any that asks by itself. */
export interface SurveyRequest extends Pick<Candidate, "slot" | "isByPerson" | "mayTakeFocus"> {
  slug?: string;
  /** Its run, with a token of its own. */
  run?: InstalledToken;
  /** Of its run, for several surveys. */
  tokens?: AskOptions["tokens"];
}

export function surveyRequestOf(
  page: Page,
  { slot, openedByPerson }: AskOptions = {},
  slug?: string,
): SurveyRequest {
  // If the person acts while files and replies load, the focus stays with them.
  let isIdle = openedByPerson;
  const touch = () => (isIdle = false);
  for (const event of openedByPerson ? ["keydown", "pointerdown"] : []) {
    page.addEventListener(event, touch, { once: true, capture: true });
  }
  return { slug, slot, isByPerson: openedByPerson, mayTakeFocus: () => !!isIdle };
}

/** Reports why a requested survey is not shown. */
export type Refuse = (
  reason: Parameters<Candidate["refuse"]>[0],
  request: SurveyRequest,
  survey?: SurveyDefinition,
) => void;

/** The requested surveys. The chunk that asks validates each; here a reply may still contain anything. */
export const requestedSurveys = ({ slug }: SurveyRequest, definitions?: BootstrapReply) =>
  (definitions?.surveys ?? []).filter((survey) =>
    slug ? survey?.slug === slug : survey?.trigger === "auto",
  );
