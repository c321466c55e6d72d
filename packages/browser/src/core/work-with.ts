import type { AskingParts } from "./asking-parts.ts";
import { inTime } from "./in-time.ts";

/** Works with a file of the widget once it is there. If it fails to load, reports it and then calls `failed`. */
export function workWith<File, Result>(
  { page, report, AfterwordError }: AskingParts,
  file: Promise<File>,
  work: (file: File) => Result,
  failed: () => void,
) {
  return inTime(page, file)
    .then(work)
    .catch((error) => {
      // A script tag needs no CORS headers, but the files that it loads do if they come from another origin.
      report(new AfterwordError("load_failed", `no CORS headers? ${error}`));
      failed();
    });
}
