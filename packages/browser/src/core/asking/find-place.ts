import type { SurveyDefinition } from "@afterword/protocol";
import type { Context } from "../context/index.ts";

/** The element that a survey fills: its slot, or the one that names its slug. `undefined` over the page, null if there is none. */
export function findPlace({ page, entryPoint }: Context, survey: SurveyDefinition, slot?: HTMLElement) {
  const { presentation, slug } = survey;
  if (presentation !== "inline" || entryPoint.isHeadless?.(slug)) return undefined;
  const name = JSON.stringify(slug);
  slot ??= find(page.document, `afterword-survey[slug=${name}],[data-afterword-slot=${name}]`);
  return slot?.isConnected ? slot : null;
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
export const isRemoved = ({ slot }: { slot?: HTMLElement }) => slot?.isConnected === false;
