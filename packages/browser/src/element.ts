import type { Afterword } from "./core/afterword.ts";

let ask: Afterword["ask"];

/**
 * Defines `<afterword-survey slug="…">`: wherever it stands in the page, the survey with this slug is shown inside it
 * as soon as it may be, and ends when the page takes the element away or changes its attributes. Any number may stand in a
 * page, each about its own run: `survey-id`, `token`, `session-id`, and if wanted `observation-id` and `task-type`.
 * Called again, it makes elements that come later ask the newest `ask`.
 */
export function defineSurveyElement(newest: Afterword["ask"]): void {
  ask = newest;
  if (customElements.get("afterword-survey")) return;
  customElements.define(
    "afterword-survey",
    class extends HTMLElement {
      connectedCallback() {
        ask(this.getAttribute("slug")!, { slot: this });
      }
    },
  );
}
