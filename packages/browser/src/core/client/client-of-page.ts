import { type AfterwordOptions, readBooleans } from "../options/index.ts";
import type { Page } from "../page/index.ts";
import { Client } from "./client.ts";
import { callsOf, type Call } from "./commands.ts";
import type { Loaders } from "./loaders.ts";

/** The client of one key, as each entry point and each copy of this package finds it on the page. */
export interface PageClient {
  /** `isOpen` until it is destroyed. */
  call: Call & { isOpen?: boolean };
  options: AfterwordOptions;
  /** How the client loads files. An entry point may replace the functions. */
  load: Loaders;
  /** Draws surveys; `undefined` once the page draws all of them itself. */
  draw?: Loaders["view"];
  /** The commands with those for pages that draw surveys, once an entry point has made them. */
  headless?: unknown;
  /** Whether there was no client of another key before. */
  isFirst: boolean;
}

const marker = Symbol.for("afterword.clients");

const textOf = (options: AfterwordOptions) =>
  JSON.stringify(options, (_, value: unknown) => value || undefined);

/** Returns the page's client of this key, so that it asks once. Creates it if there is none or it was destroyed. */
export function clientOfPage(given: AfterwordOptions, page: Page, load: Loaders): PageClient {
  const options = readBooleans(given);
  const { key } = options;
  const clients = ((page as { [marker]?: Record<string, PageClient> })[marker] ??= {});
  const known = clients[key];
  if (known) {
    if (textOf(known.options) !== textOf(options))
      load.debug().then(
        ({ reportJoined }) => reportJoined(page, known.options, options),
        () => {},
      );
    return known;
  }
  const run = callsOf(new Client(options, page, load));
  const call: PageClient["call"] = (command, ...args) => {
    if (command === "destroy" && call.isOpen) {
      call.isOpen = false;
      delete clients[key];
    }
    return run(command, ...args);
  };
  call.isOpen = true;
  const isFirst = !Object.keys(clients)[0];
  return (clients[key] = { call, options, load, draw: load.view, isFirst });
}
