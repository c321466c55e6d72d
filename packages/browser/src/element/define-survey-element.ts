import type { Afterword } from "../core/client/index.ts";

let ask: Afterword["ask"];

/**
 * Defines `<afterword-survey slug="…">`, which shows the survey with this slug inside it as soon as it is eligible,
 * until the page removes the element or changes its attributes. A page may have any number, each about its own run:
 * `survey-id`, `token`, `session-id`, and optionally `observation-id` and `task-type`. A second call makes later
 * elements use the new `ask`.
 */
export function defineSurveyElement(newest: Afterword["ask"]): void {
  ask = newest;
  if (customElements.get("afterword-survey")) return;
  customElements.define(
    "afterword-survey",
    class extends HTMLElement {
      static observedAttributes = ["slug"];
      #isUnnamed = false;
      #isMoving = false;
      connectedCallback() {
        // What it shows or waits for has moved with it.
        if (this.#isMoving) return;
        const slug = this.getAttribute("slug");
        this.#isUnnamed = !slug;
        if (slug) ask(slug, { slot: this });
        // Some pages set it just after they insert the element; where it is missing, `ask` reports that.
        else setTimeout(() => this.#isUnnamed && this.isConnected && ask("", { slot: this }));
      }
      disconnectedCallback() {
        this.#isMoving = true;
        queueMicrotask(() => (this.#isMoving = false));
      }
      attributeChangedCallback() {
        if (this.#isUnnamed && this.isConnected) this.connectedCallback();
      }
    },
  );
}
