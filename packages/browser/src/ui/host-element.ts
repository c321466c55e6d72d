import followUpCss from "./follow-up.css?inline";
import css from "./survey.css?inline";
import type { Page } from "./keep-on-top.ts";

/** Adds an adopted style sheet, because a strict content security policy refuses inline styles. */
export function addStyle(root: ShadowRoot, rules: string, page: Page): void {
  const sheet = new page.CSSStyleSheet();
  sheet.replaceSync(rules);
  root.adoptedStyleSheets.push(sheet);
}

/** Creates the widget's shadow host. Its styles live in the shadow root, out of the page's reach. */
export function hostElement(page: Page, { colorScheme }: CSSStyleDeclaration): HTMLElement {
  const { document } = page;
  const host = document.createElement("afterword-view");
  const isUndeclared = colorScheme === "normal" && !document.querySelector("meta[name=color-scheme]");
  addStyle(
    host.attachShadow({ mode: "open" }),
    css + followUpCss + (isUndeclared ? ".auto{color-scheme:light dark}" : ""),
    page,
  );
  return host;
}
