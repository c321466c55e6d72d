import { type Afterword, AfterwordError, type AfterwordOptions, readBooleans } from "../public/index.ts";
import type { Page } from "../page/index.ts";
import { Client, type Loaders } from "./client.ts";

/** Runs a command by name, as the script tag does. */
export type Call = (command: keyof Afterword, ...given: unknown[]) => unknown;

const names =
  "respondent identify install task resolve ask preview rate mute close consent reset on destroy".split(" ");

/** Runs a command, and no other member of the client. Reports its errors instead of throwing them into the host page. */
function run(client: Client, command: keyof Afterword, given: unknown[]) {
  try {
    if (!names.includes(command))
      throw new AfterwordError("invalid_argument", `unknown command ${command}: use ${names.join(", ")}`);
    return (client[command] as (...given: unknown[]) => unknown).apply(client, given);
  } catch (error) {
    client.report(error);
  }
}

/** The commands as standalone functions. */
export function commandsOf(call: Call): Afterword {
  const entryOf = (name: string) => [name, (...given: unknown[]) => call(name as keyof Afterword, ...given)];
  return Object.fromEntries(names.map(entryOf)) as Afterword;
}

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
  const client = new Client(options, page, load);
  const call: PageClient["call"] = (command, ...given) => {
    if (command === "destroy" && call.isOpen) {
      call.isOpen = false;
      delete clients[key];
    }
    return run(client, command, given);
  };
  call.isOpen = true;
  const isFirst = !Object.keys(clients)[0];
  return (clients[key] = { call, options, load, draw: load.view, isFirst });
}
