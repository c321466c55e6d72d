import type { SurveyDefinition } from "@afterword/protocol";
import type { Context } from "../context/index.ts";
import type { SurveyPlace } from "../public/index.ts";

/** Decides where a survey goes; an inline one into its slot or the element of the page that names its slug. */
export function findPlace(context: Context, survey: SurveyDefinition, slot?: HTMLElement) {
  const { presentation, corner, slug } = survey;
  const { page, options, entryPoint } = context;
  const place: SurveyPlace = { presentation, corner, banner: options.banner ?? "top" };
  if (presentation !== "inline" || entryPoint.isHeadless?.(slug)) return place;
  const name = JSON.stringify(slug);
  place.slot = slot ?? find(page.document, `afterword-survey[slug=${name}],[data-afterword-slot=${name}]`);
  return place.slot && !isRemoved(place) ? place : undefined;
}

/** Finds the first element, if there is none in the document also in open shadow roots. */
function find(root: ParentNode, selector: string): HTMLElement | undefined {
  const found = root.querySelector<HTMLElement>(selector);
  if (found) return found;
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    const inside = shadowRoot && find(shadowRoot, selector);
    if (inside) return inside;
  }
}

/** Whether the page has removed the element. */
export const isRemoved = ({ slot }: SurveyPlace) => slot?.isConnected === false;
