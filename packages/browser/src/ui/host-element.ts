import type { SurveyViewOptions } from "../core/survey-view.ts";
import { styleSheet } from "./style-sheet.ts";
import type { Page } from "./top-layer.ts";

/** The element of the page that carries the widget. All its style comes from inside, where the page cannot reach. */
export function hostElement(options: SurveyViewOptions, page: Page): HTMLElement {
  const { place, theme = "auto", density = "comfortable" } = options;
  const { document } = page;
  const host = document.createElement("afterword-view");
  // A page that declares its colour scheme is followed; all others are taken as following the person's system.
  const { colorScheme } = page.getComputedStyle(document.documentElement);
  const isDeclared = theme === "auto" && colorScheme && colorScheme !== "normal";
  const { presentation } = place;
  host.dataset.place = presentation === "inline" ? "inline" : `${presentation} ${place[presentation]}`;
  host.dataset.look = `${isDeclared ? "page" : theme} ${density}`;
  host.attachShadow({ mode: "open" }).adoptedStyleSheets = [styleSheet(page)];
  return host;
}
