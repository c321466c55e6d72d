import type { MintReply } from "@afterword/protocol";

/** The surveys of a mint that the project does not have. Servers without this extension give no reasons. */
export const unknownSurveys = ({ reason }: MintReply): string[] =>
  Object.entries(Object(reason) as object).flatMap(([surveyId, why]) =>
    why === "survey_unknown" ? [surveyId] : [],
  );

/** For developers, to whom a mistyped id would look like a person who must not be asked now. */
export const unknownSurveyMessage = (surveyId: string) =>
  `no survey of this project has the id ${JSON.stringify(surveyId)}, so nothing was minted. ` +
  "Check surveyId against the surveys that the service is configured with.";
