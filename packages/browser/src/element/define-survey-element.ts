import type { Afterword } from "../core/public/index.ts";

const name = "afterword-survey";
const attributes = "slug survey-id token session-id observation-id task-type".split(" ");

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
      static observedAttributes = attributes;
      static ask = ask;
      #timer?: ReturnType<typeof setTimeout>;
      #isMoving = false;
      #hasAsked = false;
      connectedCallback() {
        // What it shows or waits for has moved with it.
        if (!this.#isMoving) this.attributeChangedCallback();
      }
      disconnectedCallback() {
        this.#isMoving = true;
        queueMicrotask(() => (this.#isMoving = false));
      }
      /** Asks once all have changed: some pages set them just after they insert the element. `ask` reports a missing slug. */
      attributeChangedCallback() {
        const { ask } = SurveyElement;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
          if (!this.isConnected) return;
          // A change means another survey or another run. What shows before the element is defined stays.
          if (this.#hasAsked) this.querySelector("afterword-view")?.remove();
          this.#hasAsked = true;
          const [slug, surveyId, token, sessionId, observationId, taskType] = attributes.map(
            (name) => this.getAttribute(name) || undefined,
          );
          ask(slug!, { slot: this, surveyId, token, sessionId, observationId, taskType });
        });
      }
    },
  );
}
