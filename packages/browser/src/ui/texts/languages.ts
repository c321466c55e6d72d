import type { LoadWords } from "../../core/survey-view.ts";

export type WordsOf = (language: string, load?: LoadWords) => ReturnType<LoadWords> | undefined;

/** Each language but English is a chunk of its own, fetched only when a survey is shown in it. */
export const languages: Readonly<Record<string, LoadWords>> = {
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

/** Fetches the words of a language, by what is lent if anything is; `undefined` where there are none. */
export const wordsOf: WordsOf = (language) =>
  Object.hasOwn(languages, language) ? languages[language]!(language) : undefined;
