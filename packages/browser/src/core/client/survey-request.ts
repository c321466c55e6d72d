import type { BootstrapReply } from "@afterword/protocol";
import type { SurveyRequest } from "../asking/index.ts";
import type { AskOptions } from "../options/index.ts";
import type { Page } from "../page/index.ts";

/** Makes a request of what the page asks for. @param slug absent for any survey that asks by itself */
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

/** The requested surveys. The chunk that asks validates each; here a reply may still contain anything. */
export const requestedSurveys = ({ slug }: SurveyRequest, definitions?: BootstrapReply) =>
  (definitions?.surveys ?? []).filter((survey) =>
    slug ? survey?.slug === slug : survey?.trigger === "auto",
  );
