import type { LoadWords } from "../core/survey/index.ts";

export type WordsOf = (language: string, load?: LoadWords) => ReturnType<LoadWords> | undefined;

/** Every language but English is a separate chunk, fetched only when it is shown. */
export const languages = {
  ar: () => import("./ar.json"),
  de: () => import("./de.json"),
  es: () => import("./es.json"),
  fr: () => import("./fr.json"),
  he: () => import("./he.json"),
  hi: () => import("./hi.json"),
  it: () => import("./it.json"),
  ja: () => import("./ja.json"),
  ko: () => import("./ko.json"),
  nl: () => import("./nl.json"),
  pl: () => import("./pl.json"),
  pt: () => import("./pt.json"),
  sv: () => import("./sv.json"),
  tr: () => import("./tr.json"),
  uk: () => import("./uk.json"),
  zh: () => import("./zh.json"),
  // Tests compare each with English.
} as unknown as Readonly<Record<string, LoadWords>>;

/** Fetches the texts of a language; `undefined` if there are none. Only served files need `load`. */
export const wordsOf: WordsOf = (language) =>
  Object.hasOwn(languages, language) ? languages[language]!(language) : undefined;
