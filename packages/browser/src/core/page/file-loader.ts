import { withTimeout } from "./with-timeout.ts";
import type { Page } from "./page.ts";

// Browsers cache a module import that failed or hangs for the life of the page, so a retry needs another URL.
let again = "";

/** Imports modules beside the one at `base`, by name without `.js`, with the same `?version`. Rejects after 15 seconds. */
export const fileLoader =
  (base: string, page: Pick<Page, "setTimeout"> = window) =>
  <Module>(name: string): Promise<Module> =>
    withTimeout<Module>(page, import(base.replace(/[^/?]*(\?.*)?$/, `${name}.js$1`) + again)).catch(
      (error) => {
        again += "?";
        throw error;
      },
    );
