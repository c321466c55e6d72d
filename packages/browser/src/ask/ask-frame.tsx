/** @jsxImportSource preact */
import type { AskLink } from "@afterword/protocol";
import { render, type JSX } from "preact";
import type { Page } from "../ui/page.ts";
import { unrecorded, Words } from "../ui/elements.tsx";
import { directionOf, languageOf, translated } from "../texts/language-of.ts";
import textsOfLanguages from "./ask-texts.json" with { type: "json" };

/** What the page says now: one sentence, and what comes with it. */
interface Said {
  text: string;
  /** It is shown until the survey shows. */
  isLoading?: boolean;
  /** A text that was not sent, for the person to copy. */
  kept?: string;
  /** A button that does something about it. */
  label?: string;
  action?: () => void;
}

/** What is around the survey: a heading, who asks about what, and what the page says. */
function Frame({ texts, link, said }: { texts: AskTexts; link: AskLink | undefined; said: Said }) {
  return (
    <>
      <h1>{texts.title}</h1>
      {link?.name && <Quote class="sender" text={texts.sender} quoted={link.name} />}
      {link?.about && <Quote class="about" text={texts.about} quoted={link.about} />}
      <div id="survey" />
      <p role="status" class={said.isLoading ? "loading" : ""}>
        {said.text && <Words text={said.text} />}
      </p>
      {said.kept && (
        <label class="kept">
          <span>{texts.kept}</span>
          <textarea {...unrecorded} readOnly rows={5} dir="auto" value={said.kept} />
        </label>
      )}
      {said.label && (
        <button key={said.label} type="button" onClick={said.action}>
          {said.label}
        </button>
      )}
    </>
  );
}

/** A sentence with words of the link in quotation marks, so that they cannot pass for words of this page. */
function Quote(props: { class: string; text: string; quoted: string }): JSX.Element {
  const [before, after] = props.text.split(/\{\w+\}/);
  return (
    <p class={props.class}>
      {before}
      <bdi>{props.quoted}</bdi>
      {after}
    </p>
  );
}

/** Fills the page in the language of the link, or else of the browser; `language` is its BCP 47 tag. */
export function openFrame({ document, navigator }: Page, link: AskLink | undefined) {
  const language = link?.language || navigator.language;
  const [texts, lang] = askTextsFor(language);
  const root = document.documentElement;
  Object.assign(root, { lang, dir: directionOf(lang) });
  root.style.colorScheme = link?.theme ?? "";
  document.title = texts.title;
  const main = document.querySelector("main")!;
  // What the page says until this script arrives.
  main.replaceChildren();
  const say = (text: string, more?: Omit<Said, "text">) =>
    render(<Frame texts={texts} link={link} said={{ text, ...more }} />, main);
  say("");
  return { texts, language, slot: main.querySelector<HTMLElement>("#survey")!, say };
}

/**
 * What a link's page says around the survey. `sender` and `about` quote words of the link, which could otherwise pass for
 * words of this page.
 */
export type AskTexts = (typeof textsOfLanguages)["en"];

/** The texts for a BCP 47 tag, and their language; English if there are none. */
export function askTextsFor(tag: string): [AskTexts, string] {
  const language = translated.find((one) => one === languageOf(tag)) ?? "en";
  return [textsOfLanguages[language as "en"], language];
}
