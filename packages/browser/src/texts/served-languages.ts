import type { WordsOf } from "./languages.ts";

const names = "ar de es fr he hi it ja ko nl pl pt sv tr uk zh".split(" ");

/** Replaces `languages.ts` in bundles served as built: fetches each file from beside the script, in its version. */
export const wordsOf: WordsOf = (language, load) =>
  names.includes(language) ? load!(`texts/${language}`) : undefined;
