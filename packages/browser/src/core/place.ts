import type { SurveyDefinition } from "@afterword/protocol";
import type { SurveyPlace } from "./survey-view.ts";

/** Where a survey goes: an inline one into the element it is given, else into the one of the page that names its slug. */
export function findPlace(
  document: Document,
  { presentation, corner = "bottom-right", slug }: SurveyDefinition,
  banner: SurveyPlace["banner"] = "top",
  slot?: HTMLElement,
  isHeadless?: boolean,
): SurveyPlace | undefined {
  if (presentation === "inline") {
    const name = JSON.stringify(slug);
    slot ??=
      document.querySelector<HTMLElement>(`afterword-survey[slug=${name}],[data-afterword-slot=${name}]`) ??
      undefined;
    if (!slot && !isHeadless) return undefined;
  }
  return { presentation, corner, banner, slot };
}
