import { ratingFits, ratingScales, type IngestOk, type ResponseBody } from "@afterword/protocol";
import { type ExistingRecord, type NewResponse } from "../store/store.ts";
import { timestamp } from "./clock.ts";
import { type Project } from "./project-directory.ts";
import { type SurveyRecord } from "../store/project.ts";
import { newRecordId } from "./record-id.ts";
import { Refusal } from "./refusal.ts";
import { type Service } from "./service.ts";
import { type TokenPayload } from "./show-token.ts";
import { existingOf, openToken, preferUsed, recordOf, spentBy, surveyOf } from "./spend-token.ts";

/** What a bound token attests cannot be pointed elsewhere; an absent field stands for it (D11 to D13, D15). */
function checkSession(payload: TokenPayload, body: ResponseBody): void {
  if (payload.sessionId === undefined) return;
  const isOther = (claimed: string | undefined, attested: string | undefined) =>
    claimed !== undefined && claimed !== attested;
  if (isOther(body.sessionId, payload.sessionId) || isOther(body.observationId, payload.observationId)) {
    throw new Refusal("token_session_mismatch", {
      detail: "Send the session and observation that the show-token was minted for, or neither.",
    });
  }
}

function checkRating(survey: SurveyRecord, rating: number): void {
  const { type } = survey.definition;
  if (ratingFits(type, rating)) return;
  const { min, max } = ratingScales[type];
  throw new Refusal("rating_out_of_range", {
    detail: `A ${type} rating is an integer from ${min} to ${max}.`,
    errors: [{ pointer: "/rating", code: "out_of_range" }],
  });
}

function alreadyUsed(existing: ExistingRecord): Refusal {
  return new Refusal("token_used", { existing: existingOf(existing) });
}

function responseOf(
  service: Service,
  project: Project,
  payload: TokenPayload,
  body: ResponseBody,
): NewResponse {
  const survey = surveyOf(project, payload, body.surveyId);
  checkSession(payload, body);
  checkRating(survey, body.rating);
  const at = service.clock.now();
  return {
    ...recordOf(service, project, payload, body.userId),
    id: newRecordId(at),
    at,
    surveyVersion: survey.version,
    rating: body.rating,
    text: body.text,
    followUpRequested: body.followUpRequested,
    identityKind: body.identityKind,
    traits: body.traits,
    taskType: payload.taskType ?? body.taskType,
    // Only what the token attests links a response; a claimed session is dropped.
    sessionId: payload.sessionId,
    observationId: payload.observationId,
  };
}

/** Stores a rating and uses up its token, in one commit; a refused request leaves the token as it was. */
export async function submitResponse(
  service: Service,
  known: Project,
  body: ResponseBody,
): Promise<IngestOk> {
  const { project, payload } = await openToken(service, known, body.showToken, service.clock.now());
  let response: NewResponse;
  try {
    response = responseOf(service, project, payload, body);
  } catch (refusal) {
    throw alreadyUsed(await preferUsed(service, project, payload, refusal));
  }
  const existing = spentBy(await service.store.submit(response));
  if (existing) throw alreadyUsed(existing);
  return { ok: true, id: response.id, at: timestamp(response.at) };
}
