/** @jsxImportSource preact */
import type { AskLink } from "@afterword/protocol";
import { render, type JSX } from "preact";
import type { Page } from "../ui/keep-on-top.ts";
import { unrecorded } from "../ui/unrecorded.ts";
import { Words } from "../ui/words.tsx";
import { directionOf } from "../texts/language-of.ts";
import { type AskTexts, askTextsFor } from "./ask-texts-for.ts";

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

interface FrameProps {
  texts: AskTexts;
  link: AskLink | undefined;
  said: { text: string; isLoading?: boolean; label?: string; action?: () => void };
  kept: string | undefined;
}

function Frame({ texts, link, said, kept }: FrameProps) {
  return (
    <>
      <h1>{texts.title}</h1>
      {link?.name && <Quote class="sender" text={texts.sender} quoted={link.name} />}
      {link?.about && <Quote class="about" text={texts.about} quoted={link.about} />}
      <div id="survey" />
      <p role="status" class={said.isLoading ? "loading" : ""}>
        {said.text && <Words text={said.text} />}
      </p>
      {kept && (
        <label class="kept">
          <span>{texts.kept}</span>
          <textarea {...unrecorded} readOnly rows={5} dir="auto" value={kept} />
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

/** Fills the page in the language of the link, or else of the browser. */
export function openFrame({ document, navigator }: Page, link: AskLink | undefined): AskFrame {
  const language = link?.language || navigator.language;
  const [texts, lang] = askTextsFor(language);
  const root = document.documentElement;
  Object.assign(root, { lang, dir: directionOf(lang) });
  Object.assign(root.dataset, { theme: link?.theme });
  document.title = texts.title;
  const main = document.querySelector("main")!;
  // What the page says until this script arrives.
  main.replaceChildren();
  let said: FrameProps["said"] = { text: "" };
  let kept: string | undefined;
  const draw = () => render(<Frame texts={texts} link={link} said={said} kept={kept} />, main);
  const say = (now: FrameProps["said"]) => {
    said = now;
    draw();
  };
  draw();
  return {
    texts,
    language,
    slot: main.querySelector("#survey")!,
    say: (text, label, action) => say({ text, label, action }),
    sayLoading: () => say({ text: texts.loading, isLoading: true }),
    keep(text) {
      kept = text;
      draw();
    },
  };
}
