import type { LoadWords } from "../core/public/index.ts";
import { translated } from "./language-of.ts";

export type WordsOf = (language: string, load?: LoadWords) => ReturnType<LoadWords> | undefined;

/** Fetches the texts of a language, each a chunk of its own; `undefined` if there are none. Only served files need `load`. */
export const wordsOf: WordsOf = (language) =>
  translated.includes(language)
    ? (import(`./translated/${language}.json`) as ReturnType<LoadWords>)
    : undefined;
