import type { Afterword } from "./core/afterword.ts";

/**
 * Defines `<afterword-survey slug="…">`: wherever it stands in the page, the survey with this slug is shown inside it
 * as soon as it may be, and ends when the page takes the element away. Call it once in a page.
 */
export function defineSurveyElement(ask: Afterword["ask"]): void {
  customElements.define(
    "afterword-survey",
    class extends HTMLElement {
      connectedCallback() {
        ask(this.getAttribute("slug")!, { slot: this });
      }
    },
  );
}
