import type { Page } from "./page.ts";

// Browsers cache a module import that failed or hangs for the life of the page, so a retry needs another URL.
let again = "";

/** Imports modules beside the one at `base`, by name without `.js`, with the same `?version`. Rejects after 15 seconds. */
export const fileLoader =
  (base: string) =>
  <Module>(name: string): Promise<Module> =>
    withTimeout<Module>(window, import(base.replace(/[^/?]*(\?.*)?$/, `${name}.js$1`) + again)).catch(
      (error) => {
        again += "?";
        throw error;
      },
    );

/** How long a file of the widget, or a function of the page, may take before it counts as failed. */
const longestWaitInMs = 15_000;

/** Rejects with `reason` if a file does not load in time. */
export function withTimeout<T>(page: Pick<Page, "setTimeout">, file: Promise<T>, reason?: unknown) {
  const late = new Promise<never>((_, reject) => {
    page.setTimeout(reject, longestWaitInMs, reason ?? "no answer");
  });
  return Promise.race([file, late]);
}
