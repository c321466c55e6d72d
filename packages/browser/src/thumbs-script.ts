import type { Afterword } from "./core/client/index.ts";
import { fileLoader } from "./core/page/index.ts";
import type { SurveyAppearance } from "./core/survey/index.ts";
import { defineThumbs } from "./thumbs/thumbs-element.ts";

// The thumbs for pages with the script tag: a separate module, so that a page without thumbs pays nothing for them.
type EntryPoint = { isOpen?: true } & ((command: "rate", ...given: Parameters<Afterword["rate"]>) => unknown);

const host = window as unknown as { afterword?: EntryPoint };
const script = document.querySelector<HTMLElement>("script[data-key]");

function start() {
  const rate = (...given: Parameters<Afterword["rate"]>) => host.afterword!("rate", ...given);
  defineThumbs(rate as Afterword["rate"], script!.dataset as SurveyAppearance, fileLoader(import.meta.url));
}

// Until then, the stub cannot report the outcome of a vote.
if (host.afterword?.isOpen) start();
else script?.addEventListener("load", start);
