import css from "./survey.css?inline";
import type { Page } from "./top-layer.ts";

const sheets = new WeakMap<Page, CSSStyleSheet>();

/** One sheet for all views of a page. Adopted, because a strict content security policy refuses inline styles. */
export function styleSheet(page: Page): CSSStyleSheet {
  let sheet = sheets.get(page);
  if (!sheet) {
    sheet = new page.CSSStyleSheet();
    sheet.replaceSync(css);
    sheets.set(page, sheet);
  }
  return sheet;
}
