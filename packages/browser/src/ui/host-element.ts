import css from "./survey.css?inline";
import type { Page } from "./top-layer.ts";

/** Adds rules to one widget. Adopted, because a strict content security policy refuses inline styles. */
export function addStyle(root: ShadowRoot, rules: string, page: Page): void {
  const sheet = new page.CSSStyleSheet();
  sheet.replaceSync(rules);
  root.adoptedStyleSheets.push(sheet);
}

/** The element of the page that carries the widget. All its style comes from inside, where the page cannot reach. */
export function hostElement(page: Page): HTMLElement {
  const host = page.document.createElement("afterword-view");
  addStyle(host.attachShadow({ mode: "open" }), css, page);
  return host;
}
