import { type Call, clientOfPage, type Loaders, type PageClient } from "./core/client/index.ts";
import type { AfterwordOptions } from "./core/public/index.ts";
import { defineSurveyElement } from "./element/define-survey-element.ts";
import { fileLoader, watchEvents } from "./core/page/index.ts";

type EntryPoint = PageClient["call"] & { q?: Parameters<Call>[] };

// Read while this script runs: later there is no current script, and none in a module or evaluated code.
const script = (document.currentScript ?? document.querySelector("script[data-key]")) as HTMLScriptElement;
const load = fileLoader(script.src);

const loaders: Loaders = {
  asking: () => load("afterword-asking"),
  rating: () => load("afterword-rating"),
  view: () => load("afterword-ui"),
  words: load,
  debug: () => load("afterword-debug"),
};

/**
 * Replaces the page's stub and runs its queued calls in order. An element whose id is `afterword` is no stub. A second tag
 * leaves the commands of the first.
 */
function open(page: { afterword?: EntryPoint }) {
  const stub = typeof page.afterword === "function" ? page.afterword : undefined;
  watchEvents(window);
  const options = script.dataset as unknown as AfterwordOptions;
  const { call, isFirst } = clientOfPage(options, window, loaders);
  if (stub?.isOpen) return;
  page.afterword = call;
  for (const given of stub?.q ?? []) call(...given);
  defineSurveyElement((...given) => page.afterword!("ask", ...given), isFirst);
}

open(window as { afterword?: EntryPoint });
