import { openAskPage } from "./ask-page.ts";

// The page of a link: a module that reads its key and address from its own tag, never from the link.
const { key = "", baseUrl = "" } = document.querySelector<HTMLElement>("script[data-key]")!.dataset;
void openAskPage(window, { key, baseUrl });
