import type { LoadWords } from "../core/survey/index.ts";

export type WordsOf = (language: string, load?: LoadWords) => ReturnType<LoadWords> | undefined;

/** Every language but English is a separate chunk, fetched only when it is shown. */
export const languages = {
  ar: () => import("./translated/ar.json"),
  de: () => import("./translated/de.json"),
  es: () => import("./translated/es.json"),
  fr: () => import("./translated/fr.json"),
  he: () => import("./translated/he.json"),
  hi: () => import("./translated/hi.json"),
  it: () => import("./translated/it.json"),
  ja: () => import("./translated/ja.json"),
  ko: () => import("./translated/ko.json"),
  nl: () => import("./translated/nl.json"),
  pl: () => import("./translated/pl.json"),
  pt: () => import("./translated/pt.json"),
  sv: () => import("./translated/sv.json"),
  tr: () => import("./translated/tr.json"),
  uk: () => import("./translated/uk.json"),
  zh: () => import("./translated/zh.json"),
  // Tests compare each with English.
} as unknown as Readonly<Record<string, LoadWords>>;

/** Fetches the texts of a language; `undefined` if there are none. Only served files need `load`. */
export const wordsOf: WordsOf = (language) =>
  Object.hasOwn(languages, language) ? languages[language]!(language) : undefined;
