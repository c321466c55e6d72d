import type { Afterword, SurveyAppearance } from "./core/public/index.ts";
import { fileLoader } from "./core/page/index.ts";
import { defineThumbs, type ThumbsLoaders } from "./thumbs/thumbs-element.tsx";

// The thumbs for pages with the script tag: a separate module, so that a page without thumbs pays nothing for them.
type EntryPoint = { isOpen?: true } & ((command: "rate", ...given: Parameters<Afterword["rate"]>) => unknown);

const host = window as unknown as { afterword?: EntryPoint };

function start() {
  if (!host.afterword?.isOpen) return;
  document.removeEventListener("load", start, true);
  const { dataset = {} } = document.querySelector<HTMLElement>("script[data-key]") ?? {};
  const rate = (...given: Parameters<Afterword["rate"]>) => host.afterword!("rate", ...given);
  const load = fileLoader(import.meta.url);
  const loaders: ThumbsLoaders = { details: () => load("afterword-vote-details"), words: load };
  defineThumbs(rate as Afterword["rate"], dataset as SurveyAppearance, loaders);
}

const missing = "afterword: the thumbs wait for afterword.js: add its script tag, with data-key.";
const warn = () => host.afterword?.isOpen || console.warn(missing);

// Until it is open, the stub cannot report the outcome of a vote. A tag manager may insert its tag at any time.
document.addEventListener("load", start, true);
start();
// Preact has been awaited, so the page's load event may be over; a tag that is inserted late gets a while.
if (document.readyState === "complete") setTimeout(warn, 3000);
else window.addEventListener("load", warn);
