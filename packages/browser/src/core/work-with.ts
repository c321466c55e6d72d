import { AfterwordError } from "./afterword-error.ts";
import type { Emitter } from "./events.ts";
import { inTime } from "./in-time.ts";
import type { Page } from "./page.ts";

/** Works with a file of the widget once it is there. If it fails to load, reports it and then calls `failed`. */
export type WorkWith = <File, Result>(
  file: Promise<File>,
  work: (file: File) => Result,
  failed?: () => void,
) => Promise<Result | void>;

/** Gives how the client and the files that it loads fetch further files. */
export const createWorkWith =
  (page: Page, { report }: Pick<Emitter, "report">): WorkWith =>
  (file, work, failed) =>
    inTime(page, file)
      .then(work)
      .catch((error) => {
        // A script tag needs no CORS headers, but the files that it loads do if they come from another origin.
        report(new AfterwordError("load_failed", `no CORS headers? ${error}`));
        failed?.();
      });
