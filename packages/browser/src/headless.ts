import { AfterwordError, type AfterwordOptions } from "./core/public/index.ts";
import type { Page } from "./core/page/index.ts";
import { doNothing, openHeadless, type HeadlessAfterword } from "./headless/open-headless.ts";

/**
 * Afterword without a UI: targeting, sampling, tokens and reliable delivery, with state and actions for a page that
 * renders the survey itself. On a server every command exists and does nothing.
 *
 * @param page A substitute for `window`: in an app without a DOM, the result of `openAppPage`. Throws if it is needed
 *   and missing.
 * @example
 * const afterword = createHeadlessAfterword({ key: "aw_pk_…", baseUrl: "https://feedback.example.com" });
 * afterword.subscribe(() => console.log(afterword.getSurvey()?.survey.question));
 */
export function createHeadlessAfterword(options: AfterwordOptions, page?: Page): HeadlessAfterword {
  if (!page && typeof window === "undefined") return doNothing();
  if (!page && !globalThis.document)
    throw new AfterwordError(
      "invalid_argument",
      "no document here; pass `await openAppPage()` as second argument",
    );
  return openHeadless(options, page ?? window, {
    asking: () => import("./core/asking/open-surveys.ts"),
    rating: () => import("./core/rating/rate.ts"),
    debug: () => import("./core/explain/index.ts"),
  });
}

export { openAppPage, type AppPageOptions, type AppState, type AppStorage } from "./headless/app-page.ts";
export { AfterwordError, type AfterwordErrorCode } from "./core/public/index.ts";
export type * from "./public-types.ts";
