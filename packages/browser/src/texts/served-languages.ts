import { translated } from "./language-of.ts";
import type { WordsOf } from "./languages.ts";

/** Replaces `languages.ts` in bundles served as built: fetches each file from beside the script, in its version. */
export const wordsOf: WordsOf = (language, load) =>
  translated.includes(language) ? load!(`texts/${language}`) : undefined;
