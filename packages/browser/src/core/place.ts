import type { SurveyDefinition } from "@afterword/protocol";
import type { Lent } from "./asking-parts.ts";
import type { SurveyPlace } from "./survey-view.ts";

/** Decides where a survey goes; an inline one into its slot or the element of the page that names its slug. */
export function findPlace(
  document: Document,
  { presentation, corner, slug }: SurveyDefinition,
  banner: SurveyPlace["banner"] = "top",
  slot?: HTMLElement,
  isHeadless?: Lent["isHeadless"],
): SurveyPlace | undefined {
  const place: SurveyPlace = { presentation, corner, banner };
  if (presentation !== "inline" || isHeadless?.(slug)) return place;
  const name = JSON.stringify(slug);
  place.slot =
    slot ??
    document.querySelector<HTMLElement>(`afterword-survey[slug=${name}],[data-afterword-slot=${name}]`) ??
    undefined;
  return place.slot && !isGone(place) ? place : undefined;
}

/** Whether the page has removed the element. */
export const isGone = ({ slot }: SurveyPlace) => slot?.isConnected === false;
