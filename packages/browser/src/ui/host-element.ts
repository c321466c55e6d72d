import followUpCss from "./follow-up.css?inline";
import { hideFromPage } from "./hide-from-page.ts";
import css from "./survey.css?inline";
import { pageOf, styleSheet, type Page } from "./page.ts";

const name = "afterword-view";
type Host = HTMLElement & { rules: string };

function define({ customElements, HTMLElement }: Page) {
  class View extends HTMLElement {
    rules = "";
    connectedCallback() {
      const page = pageOf(this);
      const root = this.shadowRoot;
      // A copy of its markup, as Turbo's cache puts back.
      if (!root) return this.remove();
      // Adopted, because a strict content security policy refuses inline styles; a sheet belongs to one document.
      if (!root.adoptedStyleSheets[0]) root.adoptedStyleSheets = [styleSheet(page, this.rules)];
      hideFromPage(page);
    }
  }
  if (!customElements.get(name)) customElements.define(name, View);
}

/** Creates the widget's shadow host. Its styles live in the shadow root, out of the page's reach. */
export function hostElement(page: Page, slot?: HTMLElement): HTMLElement {
  const { document } = page;
  const { colorScheme } = page.getComputedStyle(slot ?? document.documentElement);
  define(page);
  const host = document.createElement(name) as Host;
  const isUndeclared = colorScheme === "normal" && !document.querySelector("meta[name=color-scheme]");
  host.rules = css + followUpCss + (isUndeclared ? ".auto{color-scheme:light dark}" : "");
  // Here too, so that an error ends the survey.
  host.attachShadow({ mode: "open" }).adoptedStyleSheets = [styleSheet(page, host.rules)];
  return host;
}
