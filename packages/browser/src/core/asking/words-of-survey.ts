import type { SurveyDefinition, SurveyWords } from "@afterword/protocol";
import { surveyWords } from "@afterword/protocol/survey-words";
import type { Context } from "../context/index.ts";

/** Reports the option `language` if it is no BCP 47 tag of a known language. */
function reportUnknownLanguage({ options, report, errorOf }: Context): void {
  const { language } = options;
  if (!language) return;
  try {
    const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
    if (names.of(new Intl.Locale(`${language}`.replaceAll("_", "-")).language)) return;
  } catch {
    // No tag at all.
  }
  report(errorOf(`language: "${language}" is not the BCP 47 tag of a known language, such as de or pt-BR`));
}

/** The words of a survey by its rating, in the language of the option, else of the page, else of the browser. */
export function wordsOfSurvey(context: Context, survey: SurveyDefinition, wanted?: string) {
  const { options, page } = context;
  reportUnknownLanguage(context);
  // An app's page has no root element, and may have no languages.
  const { documentElement } = page.document as Partial<Document>;
  const language = wanted || options.language || documentElement?.lang || page.navigator.language || "";
  return (rating?: number): SurveyWords => surveyWords(survey, `${language}`, rating);
}
