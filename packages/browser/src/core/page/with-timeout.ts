import type { Page } from "./page.ts";

/** How long a file of the widget, or a function of the page, may take before it counts as failed. */
const longestWaitInMs = 15_000;

/** Rejects with `reason` if a file does not load in time. */
export function withTimeout<T>(
  page: Pick<Page, "setTimeout">,
  file: Promise<T>,
  reason?: unknown,
): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    page.setTimeout(reject, longestWaitInMs, reason ?? "no answer");
  });
  return Promise.race([file, late]);
}
