import type { AskLink } from "@afterword/protocol";
import type { Page } from "../ui/keep-on-top.ts";
import { directionOf } from "../texts/language-of.ts";
import type { AskTexts } from "./ask-texts.ts";
import { askTextsFor } from "./ask-texts-for.ts";

/** What is around the survey: a heading, who asks about what, one sentence, a button, and a text that was refused. */
export interface AskFrame {
  texts: AskTexts;
  /** BCP 47 tag. */
  language: string;
  /** The element that the survey fills. */
  slot: HTMLElement;
  /** Says one sentence, and offers a button that does something about it. */
  say(text: string, label?: string, action?: () => void): void;
  /** Says that the survey is being loaded, until it shows. */
  sayLoading(): void;
  /** Shows a text that was not sent, so that the person can copy it. */
  keep(text: string | undefined): void;
}

/** Fills the page in the language of the link, or else of the browser. */
export function openFrame({ document, navigator }: Page, link: AskLink | undefined): AskFrame {
  const find = <Found extends HTMLElement>(selector: string) => document.querySelector<Found>(selector)!;
  const language = link?.language || navigator.language;
  const [texts, lang] = askTextsFor(language);
  // The page shows it after a while if this script does not arrive.
  document.querySelector("#late")?.remove();
  const root = document.documentElement;
  Object.assign(root, { lang, dir: directionOf(lang) });
  Object.assign(root.dataset, { theme: link?.theme });
  document.title = find("h1").textContent = texts.title;
  const quote = (field: "name" | "about", text: string, selector: string) => {
    if (!link?.[field]) return;
    const [before, after] = text.split(`{${field}}`);
    const quoted = document.createElement("bdi");
    quoted.textContent = link[field];
    find(selector).append(before!, quoted, after!);
  };
  quote("name", texts.sender, "#sender");
  quote("about", texts.about, "#about");
  const [status, button, kept] = [find("[role=status]"), find("button"), find("#kept")];
  const say: AskFrame["say"] = (text, label, action) => {
    Object.assign(status, { textContent: text, className: "" });
    Object.assign(button, { textContent: label, onclick: action, hidden: !label });
  };
  return {
    texts,
    language,
    slot: find("#survey"),
    say,
    sayLoading() {
      say(texts.loading);
      status.className = "loading";
    },
    keep(text) {
      kept.hidden = !text;
      kept.querySelector("span")!.textContent = texts.kept;
      kept.querySelector("textarea")!.value = text ?? "";
    },
  };
}
