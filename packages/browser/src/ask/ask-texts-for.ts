import { languageOf } from "../texts/language-of.ts";
import textsOfLanguages from "./ask-texts.json" with { type: "json" };

/**
 * What a link's page says around the survey. `sender` and `about` quote words of the link, which could otherwise pass for
 * words of this page.
 */
export type AskTexts = (typeof textsOfLanguages)["en"];

/** Keyed by language tag. */
const textsByLanguage: Readonly<Record<string, AskTexts>> = textsOfLanguages;

/** The texts for a BCP 47 tag, and their language; English if there are none. */
export function askTextsFor(tag: string): [AskTexts, string] {
  const language = languageOf(tag);
  const texts = Object.hasOwn(textsByLanguage, language) && textsByLanguage[language];
  return texts ? [texts, language] : [textsByLanguage["en"]!, "en"];
}
