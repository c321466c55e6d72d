import { ratingFits, ratingScales } from "@afterword/protocol";
import type { DismissalBody, IngestOk, ResponseBody, ShownReply, TokenCheckReply } from "@afterword/protocol";
import { dayInMs, ofPage } from "../store/store.ts";
import type {
  ExistingRecord,
  NewDismissal,
  NewRecord,
  NewResponse,
  RunCountKind,
  SpendOutcome,
  SurveyRecord,
} from "../store/store.ts";
import { newRecordId, timestamp } from "./ids-and-times.ts";
import { type Project } from "./project-directory.ts";
import { Refusal } from "./refusal.ts";
import { respondentHash, runHash } from "./respondent-hash.ts";
import { type Service } from "./service.ts";
import { isExpired, ledgerKey, type TokenPayload } from "./show-token.ts";

function staleToken(): Refusal {
  return new Refusal("token_invalid", { detail: "The project's data was purged; fetch a new show-token." });
}

/** Opens a token. One from before the project's last purge is refused, whichever node did that. */
async function openToken(service: Service, known: Project, token: string) {
  const payload = service.tokens.open(known.id, token, service.clock.now());
  const project = await service.directory.current(known, payload.epoch);
  if (payload.epoch !== project.epoch) throw staleToken();
  return { payload, project };
}

/** Counts what became of a token, under the version and the stratum of its run. */
function countToken(
  { runCounts }: Service,
  { id: projectId }: Project,
  { surveyId, run, sessionId }: TokenPayload,
  kind: RunCountKind,
): void {
  const reason = sessionId === undefined ? ofPage : undefined;
  runCounts.count({ projectId, surveyId, version: run?.version, stratum: run?.stratum, kind, reason });
}

/** The survey that both the body and the token name. */
function surveyOf(project: Project, payload: TokenPayload, surveyId: string): SurveyRecord {
  const survey = project.surveysById.get(surveyId);
  if (!survey)
    throw new Refusal("survey_not_found", { detail: "Bootstrap lists the surveys of the project." });
  if (payload.surveyId !== surveyId) {
    throw new Refusal("token_invalid", { detail: "Use the show-token that was issued for this survey." });
  }
  return survey;
}

/** Returns the fields that responses and dismissals share. The token's respondent wins over the body's. */
function commonFields(
  project: Project,
  payload: TokenPayload,
  survey: SurveyRecord,
  claimedUserId: string | undefined,
) {
  const respondentId = payload.respondentId ?? claimedUserId;
  const { pepper } = project;
  const { sessionId, observationId } = payload;
  const isEachRun = project.eachRunSurveyIds.has(survey.id);
  const isRun = isEachRun && sessionId !== undefined && respondentId !== undefined;
  return {
    token: { projectId: project.id, epoch: payload.epoch, tokenId: ledgerKey(payload) },
    surveyId: payload.surveyId,
    respondentId,
    respondentHash: respondentId === undefined ? undefined : respondentHash(pepper, respondentId),
    runHash: isRun ? runHash(pepper, respondentId, { sessionId, observationId }) : undefined,
    isCounted: project.gating.monthlyCap !== undefined && !survey.unprompted,
  };
}

/** The record that used the token, as a refusal names it; nothing once it was erased. */
function existingOf({ id, at, kind }: ExistingRecord) {
  return id === undefined || at === undefined ? undefined : { id, at: timestamp(at), kind };
}

/**
 * A session or observation in the body must be the one that a bound token attests (decisions D11 to D13). With an unbound
 * token any passes, and is not stored.
 */
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
    ...commonFields(project, payload, survey, body.userId),
    id: newRecordId(at),
    at,
    surveyVersion: survey.version,
    rating: body.rating,
    text: body.text,
    followUpRequested: body.followUpRequested,
    identityKind: body.identityKind,
    traits: body.traits,
    taskType: payload.taskType ?? body.taskType,
    run: payload.run,
    // Only what the token attests links a response; a claimed session is dropped.
    sessionId: payload.sessionId,
    observationId: payload.observationId,
  };
}

/** The token was used before. */
interface AlreadySpent {
  existing: ExistingRecord;
  tokenId: Uint8Array;
}
type Spent<Stored> = AlreadySpent | { existing?: undefined; record: Stored };

/** A request that spends a token. */
interface SpendRequest<Body> {
  service: Service;
  project: Project;
  body: Body;
  /** Called when the record is stored, and not for a repeated dismissal. */
  stored?: (kind: "rating" | "dismissal") => void;
}

/**
 * Stores what a token is spent on and uses it up, in one commit; a refused request leaves the token as it was. The store
 * compares the epochs again, since a purge may come in between.
 * @param recordOf throws for a request to refuse; if its token was used before, that is reported instead
 */
async function spend<Body extends ResponseBody | DismissalBody, Stored extends NewRecord>(
  { service, project: known, body, stored }: SpendRequest<Body>,
  kind: "rating" | "dismissal",
  recordOf: (service: Service, project: Project, payload: TokenPayload, body: Body) => Stored,
  store: (record: Stored) => Promise<SpendOutcome>,
): Promise<Spent<Stored>> {
  const { payload, project } = await openToken(service, known, body.showToken);
  const tokenId = ledgerKey(payload);
  let record: Stored;
  try {
    record = recordOf(service, project, payload, body);
  } catch (error) {
    const existing = error instanceof Refusal && (await service.store.spentToken(project.id, tokenId));
    if (existing) return { existing, tokenId };
    throw error;
  }
  const outcome = await store(record);
  if (outcome.outcome === "stale") throw staleToken();
  if (outcome.outcome === "spent") return { existing: outcome.existing, tokenId };
  countToken(service, project, payload, kind === "rating" ? "answered" : "dismissed");
  stored?.(kind);
  return { record };
}

/** Fewer than most scales have ratings, so that a stored rating cannot be found by trying. */
const mostComparisons = 3;

/**
 * Whether the answer that used a token is the one of this request. Only within a day of that answer, and with the first
 * refusals of the token.
 */
async function isSameAnswer(
  { store, clock }: Service,
  { id: projectId }: Project,
  { existing, tokenId }: AlreadySpent,
  { rating, text = "" }: ResponseBody,
): Promise<boolean | undefined> {
  if (existing.kind !== "response" || existing.at === undefined) return undefined;
  if (clock.now() > existing.at + dayInMs) return undefined;
  const answer = await store.answerToCompare(projectId, tokenId, mostComparisons);
  return answer && answer.rating === rating && (answer.text ?? "") === text;
}

/** Says whether a token can still be used. Stores nothing. */
export async function checkToken(service: Service, known: Project, token: string): Promise<TokenCheckReply> {
  const now = service.clock.now();
  const payload = service.tokens.read(known.id, token, now);
  // Always looks: no write to the store compares the epoch later, as it does for an answer.
  const project = await service.directory.current(known);
  if (payload.epoch !== project.epoch) throw staleToken();
  const existing = await service.store.spentToken(project.id, ledgerKey(payload));
  const unused = isExpired(payload, now) ? "expired" : "fresh";
  return { state: existing ? "used" : unused, surveyId: payload.surveyId };
}

/** Counts that a survey was shown, once for each token. Stores nothing else, and leaves the token as it is. */
export async function reportShown(service: Service, known: Project, token: string): Promise<ShownReply> {
  const { payload, project } = await openToken(service, known, token);
  if (service.runCounts.isNew(payload.tokenId)) countToken(service, project, payload, "shown");
  return { ok: true };
}

/** Stores a rating and uses up its token. */
export async function submitResponse(request: SpendRequest<ResponseBody>): Promise<IngestOk> {
  const { service, project, body } = request;
  const spent = await spend(request, "rating", responseOf, (response) => service.store.submit(response));
  if (!spent.existing) return { ok: true, id: spent.record.id, at: timestamp(spent.record.at) };
  const existing = existingOf(spent.existing);
  const isSame = existing && (await isSameAnswer(service, project, spent, body));
  throw new Refusal("token_used", { existing: existing && { ...existing, isSame } });
}

function dismissalOf(
  service: Service,
  project: Project,
  payload: TokenPayload,
  body: DismissalBody,
): NewDismissal {
  const survey = surveyOf(project, payload, body.surveyId);
  const at = service.clock.now();
  return { ...commonFields(project, payload, survey, body.userId), id: newRecordId(at), at };
}

/**
 * Stores that the person closed the survey and uses up the token. A repeated dismissal gets the reply of the first one; a
 * token that a response used is refused.
 */
export async function dismiss(request: SpendRequest<DismissalBody>): Promise<IngestOk> {
  const { store } = request.service;
  const spent = await spend(request, "dismissal", dismissalOf, (record) => store.dismiss(record));
  if (!spent.existing) return { ok: true, id: spent.record.id, at: timestamp(spent.record.at) };
  const original = existingOf(spent.existing);
  if (spent.existing.kind === "dismissal" && original) return { ok: true, id: original.id, at: original.at };
  throw new Refusal("token_used", { status: 401, existing: original });
}
