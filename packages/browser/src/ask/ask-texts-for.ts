import type { AskTexts } from "./ask-texts.ts";
import { textsByLanguage } from "./texts-by-language.ts";

/** The texts for a BCP 47 tag, and their language; English if there are none. */
export function askTextsFor(tag: string): [AskTexts, string] {
  const language = tag.toLowerCase().split(/[-_]/)[0]!;
  const texts = Object.hasOwn(textsByLanguage, language) && textsByLanguage[language];
  return texts ? [texts, language] : [textsByLanguage["en"]!, "en"];
}
