import type { Page } from "./page.ts";

/** How long a file of the widget may take before it counts as failed. */
const longestWaitInMs = 15_000;

/** Rejects if a file does not load in time. */
export function withTimeout<File>(page: Pick<Page, "setTimeout">, file: Promise<File>): Promise<File> {
  const late = new Promise<never>((_, reject) => {
    page.setTimeout(reject, longestWaitInMs, "no answer");
  });
  return Promise.race([file, late]);
}
