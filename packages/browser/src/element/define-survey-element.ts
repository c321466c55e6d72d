import type { Afterword } from "../core/public/index.ts";

const name = "afterword-survey";

/**
 * Defines `<afterword-survey slug="…">`, which shows the survey with this slug inside it as soon as it is eligible,
 * until the page removes the element or changes its attributes. A page may have any number, each about its own run:
 * `survey-id`, `token`, `session-id`, and optionally `observation-id` and `task-type`. A second call makes later
 * elements use the new `ask`, also those that another copy of this package has defined, unless it `mayReplace` none.
 */
export function defineSurveyElement(ask: Afterword["ask"], mayReplace = true): void {
  const known = customElements.get(name) as { ask?: typeof ask } | undefined;
  if (known) {
    if (mayReplace) known.ask = ask;
    return;
  }
  customElements.define(
    name,
    class SurveyElement extends HTMLElement {
      static observedAttributes = ["slug"];
      static ask = ask;
      #isUnnamed = false;
      #isMoving = false;
      connectedCallback() {
        // What it shows or waits for has moved with it.
        if (this.#isMoving) return;
        const slug = this.getAttribute("slug");
        const { ask } = SurveyElement;
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
