import type { PostPath } from "@afterword/protocol";
import { textLength } from "@afterword/protocol/limits";
import type { Respondent } from "../identity/index.ts";
import type { InstalledToken } from "../options/index.ts";
import type { Submission } from "./outbox-entry.ts";
import type { SurveyAnswer } from "../survey/index.ts";

/** A show-token, with what it attests if it is session-bound. */
export type AskToken = Pick<InstalledToken, "token"> & Partial<InstalledToken>;

export const responsesPath = "/v1/sdk/responses";

/** Fields beside token, survey and person. Global Privacy Control omits those that the answer does not need. */
function contentOf(answer: SurveyAnswer, { kind, traits }: Respondent, token: AskToken, isPrivate: boolean) {
  const { sessionId, observationId, taskType } = token;
  return {
    rating: answer.rating,
    text: answer.text?.trim() ? [...answer.text].slice(0, textLength).join("") : undefined,
    followUpRequested: answer.followUpRequested || undefined,
    identityKind: kind,
    sessionId,
    observationId,
    ...(!isPrivate && { taskType, traits }),
  };
}

/** Creates an outbox request: a dismissal if there is no answer. */
export function submissionOf(
  path: PostPath,
  surveyId: string,
  respondent: Respondent,
  token: AskToken,
  isPrivate: boolean,
  answer?: SurveyAnswer,
): Submission {
  const content = answer && contentOf(answer, respondent, token, isPrivate);
  const body = { showToken: token.token, surveyId, userId: respondent.id, ...content };
  return { path, body, isBound: !!token.sessionId };
}
