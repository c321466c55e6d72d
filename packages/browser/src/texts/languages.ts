import type { LoadWords } from "../core/survey/index.ts";

export type WordsOf = (language: string, load?: LoadWords) => ReturnType<LoadWords> | undefined;

/** Every language but English is a separate chunk, fetched only when it is shown. */
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

/** Fetches the texts of a language; `undefined` if there are none. Only served files need `load`. */
export const wordsOf: WordsOf = (language) =>
  Object.hasOwn(languages, language) ? languages[language]!(language) : undefined;
