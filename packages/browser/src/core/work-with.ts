import { AfterwordError } from "./afterword-error.ts";
import type { Emitter } from "./events.ts";
import { inTime } from "./in-time.ts";
import type { Page } from "./page.ts";

/** Calls `work` with a file of the widget once it has loaded. If it fails, reports that and calls `failed`. */
export type WorkWith = <File, Result>(
  file: Promise<File>,
  work: (file: File) => Result,
  failed?: () => void,
) => Promise<Result | void>;

/** Creates the function with which the client and its files load further files. */
export const createWorkWith =
  (page: Page, { report }: Pick<Emitter, "report">): WorkWith =>
  (file, work, failed) =>
    inTime(page, file)
      .then(work)
      .catch((error) => {
        // A script tag needs no CORS headers, but files that it imports from another origin do.
        report(new AfterwordError("load_failed", `no CORS headers? ${error}`));
        failed?.();
      });
