import type { Afterword, AfterwordOptions } from "./core/public/index.ts";
import { watchEvents, type Page } from "./core/page/index.ts";
import { defineSurveyElement as define } from "./element/define-survey-element.ts";
import { doNothing, openHeadless, type HeadlessAfterword } from "./headless/open-headless.ts";

/**
 * Starts Afterword in this page, or joins what was started with this key, by a script tag for example. The UI loads when
 * a survey is about to show, and draws every survey that the page does not `claim`. On a server every command exists and
 * does nothing.
 *
 * @param page A substitute for `window`, for tests.
 * @example
 * const afterword = createAfterword({ key: "aw_pk_…", baseUrl: "https://feedback.example.com" });
 * afterword.identify("user-17"); // whom your server mints for
 * afterword.task(); // nothing is asked until the task is resolved
 * const run = { surveyId: "csat", token: "st2.…", sessionId: "run-2041" }; // of your server
 * afterword.install(run);
 * afterword.resolve(); // a survey with an automatic trigger asks now
 * afterword.ask("satisfaction"); // and one with a manual trigger here
 * await afterword.rate(run, { rating: 5 }); // without a survey: from a control of your own
 */
export function createAfterword(options: AfterwordOptions, page?: Page): HeadlessAfterword {
  if (!page && typeof window === "undefined") return doNothing();
  watchEvents(page ?? window);
  const load = {
    asking: () => import("./core/asking/open-surveys.ts"),
    rating: () => import("./core/rating/rate.ts"),
    view: () => import("./ui/index.ts"),
    debug: () => import("./core/explain/index.ts"),
  };
  return openHeadless(options, page ?? window, load);
}

/**
 * Defines `<afterword-survey slug="…">`, which shows the survey with this slug inside it as soon as it is eligible.
 * Does nothing on a server, which has no elements. A second call makes later elements use the new `ask`.
 * @example
 * defineSurveyElement(createAfterword({ key: "aw_pk_…", baseUrl: "https://feedback.example.com" }).ask);
 */
export function defineSurveyElement(ask: Afterword["ask"]): void {
  if (globalThis.customElements) define(ask);
}

export { AfterwordError, type AfterwordErrorCode } from "./core/public/index.ts";
export type { SurveyAppearance, SurveyTexts } from "./core/public/index.ts";
export type * from "./public-types.ts";
