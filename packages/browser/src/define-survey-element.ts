import type { Afterword } from "./core/afterword.ts";
import { defineSurveyElement as define } from "./element.ts";

/**
 * Defines `<afterword-survey slug="…">`, which shows the survey with this slug inside it as soon as it is eligible.
 * Does nothing on a server, which has no elements. A second call makes later elements use the new `ask`.
 */
export function defineSurveyElement(ask: Afterword["ask"]): void {
  if (globalThis.customElements) define(ask);
}
