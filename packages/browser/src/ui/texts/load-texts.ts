import type { SurveyTexts } from "../../core/survey-texts.ts";
import { texts as english } from "./en.ts";

type Language = { texts: SurveyTexts };

/** Each language but English is a chunk of its own, fetched only when a survey is shown in it. */
export const languages: Readonly<Record<string, () => Promise<Language>>> = {
  ar: () => import("./ar.ts"),
  de: () => import("./de.ts"),
  es: () => import("./es.ts"),
  fr: () => import("./fr.ts"),
  he: () => import("./he.ts"),
  hi: () => import("./hi.ts"),
  it: () => import("./it.ts"),
  ja: () => import("./ja.ts"),
  ko: () => import("./ko.ts"),
  nl: () => import("./nl.ts"),
  pl: () => import("./pl.ts"),
  pt: () => import("./pt.ts"),
  sv: () => import("./sv.ts"),
  tr: () => import("./tr.ts"),
  uk: () => import("./uk.ts"),
  zh: () => import("./zh.ts"),
};

/** The words of one language, and which one it turned out to be. */
export interface LoadedTexts {
  texts: SurveyTexts;
  /** BCP 47 tag without region. */
  language: string;
}

const inEnglish: LoadedTexts = { texts: english, language: "en" };

/**
 * The words for a BCP 47 tag, in English where the language is missing or fails to load. English needs no wait:
 * the answer is then no promise.
 */
export function loadTexts(tag: string): LoadedTexts | Promise<LoadedTexts> {
  const language = tag.toLowerCase().split("-")[0]!;
  const load = Object.hasOwn(languages, language) && languages[language];
  return load
    ? load().then(
        ({ texts }) => ({ texts, language }),
        () => inEnglish,
      )
    : inEnglish;
}
