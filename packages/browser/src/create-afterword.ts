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

/**
 * Starts Afterword in this page. The widget itself is fetched when a survey is to be shown. On a server nothing
 * happens: every command is there and does nothing.
 *
 * @param page What stands in for `window`, for tests.
 */
export function createAfterword(options: AfterwordOptions, page?: Page): Afterword {
  if (!page && typeof window === "undefined") return commandsOf(() => () => {});
  return commandsOf(guarded(new Client(options, page ?? window, loaders)));
}
