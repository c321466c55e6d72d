import type { BootstrapReply, SurveyDefinition } from "@afterword/protocol";
import type { SurveyRequest } from "../asking/index.ts";
import type { AskOptions, InstalledToken } from "../options/index.ts";
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

/**
 * The requested surveys. After a run also those that only the page may ask for, to say so: the ones with a token, or all if
 * none asks by itself. The chunk that asks validates each; here a reply may still contain anything.
 */
export function requestedSurveys(
  { slug, isAfterRun }: SurveyRequest,
  installed: readonly InstalledToken[],
  { surveys = [] }: Partial<BootstrapReply> = {},
) {
  const found = surveys.filter((survey) => (slug ? survey?.slug === slug : survey?.trigger === "auto"));
  if (!isAfterRun) return found;
  const isExpected = ({ id }: SurveyDefinition) =>
    installed.some(({ surveyId }) => surveyId === id) || !(installed[0] ?? found[0]);
  return [...surveys.filter((survey) => survey && !found.includes(survey) && isExpected(survey)), ...found];
}
