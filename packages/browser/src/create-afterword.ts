import type { AfterwordOptions } from "./core/options.ts";
import type { Page } from "./core/page.ts";
import { doNothing, openHeadless, type HeadlessAfterword } from "./open-headless.ts";

/**
 * Starts Afterword in this page. The UI loads when a survey is about to show, and draws every survey that the page does
 * not `claim`. On a server every command exists and does nothing.
 *
 * @param page A substitute for `window`, for tests.
 */
export function createAfterword(options: AfterwordOptions, page?: Page): HeadlessAfterword {
  if (!page && typeof window === "undefined") return doNothing();
  const load = {
    asking: () => import("./core/asking.ts"),
    view: () => import("./ui/index.ts"),
    inline: () => import("./core/inline.ts"),
    explain: () => import("./core/explain.ts"),
  };
  return openHeadless(options, page ?? window, load);
}
