import { type Call, guarded } from "./call.ts";
import { Client } from "./core/client.ts";
import type { Loaders } from "./core/loaders.ts";
import type { AfterwordOptions } from "./core/options.ts";
import { defineSurveyElement } from "./element.ts";
import { fileLoader } from "./core/file-loader.ts";

type EntryPoint = Call & { q?: Parameters<Call>[]; isOpen?: true };

// Read while this script runs: later there is no current script any more, and none in a module or evaluated text.
const script = (document.currentScript ?? document.querySelector("script[data-key]")) as HTMLScriptElement;
const load = fileLoader(script.src);

const loaders: Loaders = {
  asking: () => load("afterword-ui"),
  inline: () => load("afterword-inline"),
  words: load,
  explain: () => load("afterword-debug"),
};

/** The attributes of the script tag are the options; those that are yes or no are there or not. */
function optionsOf(attributes: DOMStringMap): AfterwordOptions {
  return {
    ...(attributes as unknown as AfterwordOptions),
    muted: "muted" in attributes,
    testMode: "test" in attributes,
    debug: "debug" in attributes,
    linkedOnly: "linkedOnly" in attributes,
  };
}

/** Takes the place of the stub in the page and does, in order, what was asked of it. */
function open(page: { afterword?: EntryPoint }) {
  const stub = page.afterword;
  if (stub?.isOpen) return;
  const entry: EntryPoint = guarded(new Client(optionsOf(script.dataset), window, loaders));
  entry.isOpen = true;
  page.afterword = entry;
  for (const call of stub?.q ?? []) entry(...call);
  defineSurveyElement((...given) => entry("ask", ...given));
}

open(window as { afterword?: EntryPoint });
