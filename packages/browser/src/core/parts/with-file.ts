import { AfterwordError, type Emitter } from "../events/index.ts";
import { withTimeout, type Page } from "../page/index.ts";

/** Calls `work` with a file of the widget once it has loaded. If it fails, reports that and calls `failed`. */
export type WithFile = <File, Result>(
  file: Promise<File>,
  work: (file: File) => Result,
  failed?: () => void,
) => Promise<Result | void>;

/** Creates the function with which the client and its files load further files. */
export const createWithFile =
  (page: Page, { report }: Pick<Emitter, "report">): WithFile =>
  (file, work, failed) =>
    withTimeout(page, file)
      .then(work)
      .catch((error) => {
        // A script tag without `crossorigin` needs no CORS headers, but files that it imports from another origin do.
        report(new AfterwordError("load_failed", `no CORS headers? ${error}`));
        failed?.();
      });
