import type { Afterword } from "./core/afterword.ts";

let ask: Afterword["ask"];

/**
 * Defines `<afterword-survey slug="…">`: wherever it stands in the page, the survey with this slug is shown inside it
 * as soon as it may be, after another one has gone too, and ends when the page takes the element away or names another
 * slug. Called again, it makes elements that come later ask the newest `ask`.
 */
export function defineSurveyElement(newest: Afterword["ask"]): void {
  ask = newest;
  if (customElements.get("afterword-survey")) return;
  customElements.define(
    "afterword-survey",
    class extends HTMLElement {
      static observedAttributes = ["slug"];
      attributeChangedCallback() {
        this.querySelector("afterword-view")?.remove();
        if (this.isConnected) this.connectedCallback();
      }
      connectedCallback() {
        ask(this.getAttribute("slug")!, { slot: this });
      }
    },
  );
}
