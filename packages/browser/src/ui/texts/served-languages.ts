import type { WordsOf } from "./languages.ts";

const names = "ar de es fr he hi it ja ko nl pl pt sv tr uk zh".split(" ");

/** As in `languages.ts`, for files that are served as they are: each is fetched from beside the script, in its version. */
export const wordsOf: WordsOf = (language, load) =>
  names.includes(language) ? load!(`texts/${language}`) : undefined;
