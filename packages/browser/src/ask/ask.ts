import { openAskPage } from "./ask-page.ts";

// The page behind a link. Reads its key and address from its own script tag, never from the link.
const { key = "", baseUrl = "" } = document.querySelector<HTMLElement>("script[data-key]")!.dataset;
void openAskPage(window, { key, baseUrl });
