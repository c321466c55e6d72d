import type { SurveyDefinition } from "@afterword/protocol";
import type { EntryPointSettings } from "../parts/index.ts";
import type { SurveyPlace } from "../survey/index.ts";

/** Decides where a survey goes; an inline one into its slot or the element of the page that names its slug. */
export function findPlace(
  document: Document,
  { presentation, corner, slug }: SurveyDefinition,
  banner: SurveyPlace["banner"] = "top",
  slot?: HTMLElement,
  isHeadless?: EntryPointSettings["isHeadless"],
): SurveyPlace | undefined {
  const place: SurveyPlace = { presentation, corner, banner };
  if (presentation !== "inline" || isHeadless?.(slug)) return place;
  const name = JSON.stringify(slug);
  place.slot =
    slot ??
    document.querySelector<HTMLElement>(`afterword-survey[slug=${name}],[data-afterword-slot=${name}]`) ??
    undefined;
  return place.slot && !isRemoved(place) ? place : undefined;
}

/** Whether the page has removed the element. */
export const isRemoved = ({ slot }: SurveyPlace) => slot?.isConnected === false;
