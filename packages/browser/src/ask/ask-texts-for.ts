import { languageOf } from "../texts/language-of.ts";
import type { AskTexts } from "./ask-texts.ts";
import texts from "./ask-texts.json" with { type: "json" };

/** Keyed by language tag. */
const textsByLanguage = texts as unknown as Readonly<Record<string, AskTexts>>;

/** The texts for a BCP 47 tag, and their language; English if there are none. */
export function askTextsFor(tag: string): [AskTexts, string] {
  const language = languageOf(tag);
  const texts = Object.hasOwn(textsByLanguage, language) && textsByLanguage[language];
  return texts ? [texts, language] : [textsByLanguage["en"]!, "en"];
}
