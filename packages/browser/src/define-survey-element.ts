import type { Afterword } from "./core/afterword.ts";
import { defineSurveyElement as define } from "./element.ts";

/**
 * Defines `<afterword-survey slug="…">`: wherever it stands in the page, the survey with this slug is shown inside it as
 * soon as it may be. Does nothing on a server, which has no elements. Called again, it makes elements that come later ask
 * the newest `ask`.
 */
export function defineSurveyElement(ask: Afterword["ask"]): void {
  if (globalThis.customElements) define(ask);
}
