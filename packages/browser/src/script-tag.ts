import { type Call, guardCommands, Client, type Loaders } from "./core/client/index.ts";
import type { AfterwordOptions } from "./core/options/index.ts";
import { defineSurveyElement } from "./element/define-survey-element.ts";
import { fileLoader, watchEvents } from "./core/page/index.ts";

type EntryPoint = Call & { q?: Parameters<Call>[]; isOpen?: true };

// Read while this script runs: later there is no current script, and none in a module or evaluated code.
const script = (document.currentScript ?? document.querySelector("script[data-key]")) as HTMLScriptElement;
const load = fileLoader(script.src);

const loaders: Loaders = {
  asking: () => load("afterword-asking"),
  view: () => load("afterword-ui"),
  inline: () => load("afterword-inline"),
  words: load,
  debug: () => load("afterword-debug"),
};

/** Replaces the page's stub and runs its queued calls in order. An element whose id is `afterword` is no stub. */
function open(page: { afterword?: EntryPoint }) {
  const stub = typeof page.afterword === "function" ? page.afterword : undefined;
  if (stub?.isOpen) return;
  watchEvents(window);
  const entry: EntryPoint = guardCommands(
    new Client(script.dataset as unknown as AfterwordOptions, window, loaders),
  );
  entry.isOpen = true;
  page.afterword = entry;
  for (const call of stub?.q ?? []) entry(...call);
  defineSurveyElement((...given) => entry("ask", ...given));
}

open(window as { afterword?: EntryPoint });
