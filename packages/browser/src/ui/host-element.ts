import { styleSheet } from "./style-sheet.ts";
import type { Page } from "./top-layer.ts";

/** The element of the page that carries the widget. All its style comes from inside, where the page cannot reach. */
export function hostElement(page: Page): HTMLElement {
  const host = page.document.createElement("afterword-view");
  host.attachShadow({ mode: "open" }).adoptedStyleSheets = [styleSheet(page)];
  return host;
}
