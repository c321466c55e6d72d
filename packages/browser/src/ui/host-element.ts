import css from "./survey.css?inline";
import type { Page } from "./top-layer.ts";

/** Adds rules to one widget. Adopted, because a strict content security policy refuses inline styles. */
export function addStyle(root: ShadowRoot, rules: string, page: Page): void {
  const sheet = new page.CSSStyleSheet();
  sheet.replaceSync(rules);
  root.adoptedStyleSheets.push(sheet);
}

/** The element of the page that carries the widget. All its style comes from inside, where the page cannot reach. */
export function hostElement(page: Page, { colorScheme }: CSSStyleDeclaration): HTMLElement {
  const { document } = page;
  const host = document.createElement("afterword-view");
  const isUndeclared = colorScheme === "normal" && !document.querySelector("meta[name=color-scheme]");
  addStyle(
    host.attachShadow({ mode: "open" }),
    css + (isUndeclared ? ".auto{color-scheme:light dark}" : ""),
    page,
  );
  return host;
}
