import type { PostPath } from "@afterword/protocol";
import { textLength } from "@afterword/protocol/limits";
import type { Respondent } from "./identity.ts";
import type { InstalledToken } from "./options.ts";
import type { Outgoing } from "./outbox-entry.ts";
import type { SurveyAnswer } from "./survey-view.ts";

/** A show-token, with what it attests if it is bound to a session. */
export type AskToken = Pick<InstalledToken, "token"> & Partial<InstalledToken>;

export const responses = "/v1/sdk/responses";

/** What is sent beside token, survey and person. Global Privacy Control leaves out what the answer can do without. */
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

/** A request for the outbox; without an answer it is a dismissal's. */
export function outgoing(
  path: PostPath,
  surveyId: string,
  respondent: Respondent,
  token: AskToken,
  isPrivate: boolean,
  answer?: SurveyAnswer,
): Outgoing {
  const content = answer && contentOf(answer, respondent, token, isPrivate);
  const body = { showToken: token.token, surveyId, userId: respondent.id, ...content };
  return { path, body, isBound: !!token.sessionId };
}
