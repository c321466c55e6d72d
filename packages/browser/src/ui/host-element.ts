import followUpCss from "./follow-up.css?inline";
import { hideFromPage } from "./hide-from-page.ts";
import css from "./survey.css?inline";
import { pageOf, type Page } from "./keep-on-top.ts";

const name = "afterword-view";
type Host = HTMLElement & { rules: string };

/** Adopts a style sheet, because a strict content security policy refuses inline styles. It belongs to one document. */
function addStyle({ shadowRoot, rules }: Host, { CSSStyleSheet }: Page) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  shadowRoot!.adoptedStyleSheets.push(sheet);
}

/** Defines the host. A copy of its markup, as Turbo's cache puts back, has no shadow root, and goes. */
function define({ customElements, HTMLElement }: Page) {
  class View extends HTMLElement {
    rules = "";
    connectedCallback() {
      const page = pageOf(this);
      if (!this.shadowRoot) this.remove();
      else if (!this.shadowRoot.adoptedStyleSheets[0]) addStyle(this, page);
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
  host.attachShadow({ mode: "open" });
  addStyle(host, page);
  return host;
}
