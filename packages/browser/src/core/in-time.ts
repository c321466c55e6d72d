import type { Page } from "./page.ts";

/** How long a file of the widget may take; after that the page hears that it did not come. */
const longestWaitInMs = 15_000;

/** Gives up a file that does not answer. */
export function inTime<File>(page: Pick<Page, "setTimeout">, file: Promise<File>): Promise<File> {
  const late = new Promise<never>((_, reject) => {
    page.setTimeout(reject, longestWaitInMs, "no answer");
  });
  return Promise.race([file, late]);
}
