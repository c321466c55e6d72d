import { guarded } from "./call.ts";
import { commandsOf } from "./commands.ts";
import type { Afterword } from "./core/afterword.ts";
import { Client } from "./core/client.ts";
import type { Loaders } from "./core/loaders.ts";
import type { AfterwordOptions } from "./core/options.ts";
import type { Page } from "./core/page.ts";

const loaders: Loaders = {
  asking: () => import("./widget.ts"),
  explain: () => import("./core/explain.ts"),
};

/* * Starts Afterword in this page. The UI loads when a survey is about to show. On a server every command exists and does
 * nothing.
 *
 * @param page A substitute for `window`, for tests.
 */
export function createAfterword(options: AfterwordOptions, page?: Page): Afterword {
  if (!page && typeof window === "undefined") return commandsOf(() => () => {});
  return commandsOf(guarded(new Client(options, page ?? window, loaders)));
}
