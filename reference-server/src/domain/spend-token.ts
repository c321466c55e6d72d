import { ratingFits, ratingsText } from "@afterword/protocol";
import type {
  DismissalBody,
  IngestOk,
  ResponseBody,
  ShownReply,
  TokenCheck,
  TokenCheckBody,
  TokenCheckReply,
} from "@afterword/protocol";
import { dayInMs, ofPage } from "../store/store.ts";
import type {
  ExistingRecord,
  NewRecord,
  NewResponse,
  RunCountKind,
  SpendOutcome,
  SurveyRecord,
} from "../store/store.ts";
import { isEachRun } from "./gating.ts";
import { newRecordId, timestamp } from "./ids-and-times.ts";
import { type Project } from "./project-directory.ts";
import { Refusal } from "./refusal.ts";
import { respondentHash, runHash } from "./respondent-hash.ts";
import { type Service } from "./service.ts";
import {
  isExpired,
  ledgerKey,
  openShowToken,
  readShowToken,
  tokenInvalid,
  type TokenPayload,
} from "./show-token.ts";

function staleToken(): Refusal {
  return new Refusal("token_invalid", { detail: "The project's data was purged; fetch a new show-token." });
}

/** Opens a token. One from before the project's last purge is refused, whichever node did that. */
async function openToken(service: Service, known: Project, token: string) {
  const payload = openShowToken(service.masterKeys, known.id, token, service.clock.now());
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

/** An opened token, and what the project says of its survey. */
interface OpenedToken {
  payload: TokenPayload;
  project: Project;
  survey: SurveyRecord;
}

/** Returns the fields that responses and dismissals share. The token's respondent wins over the body's. */
function recordOf({ payload, project, survey }: OpenedToken, claimedId: string | undefined, at: number) {
  const { sessionId, observationId, respondentId = claimedId } = payload;
  const { pepper } = project;
  const isRun = isEachRun(survey) && sessionId !== undefined && respondentId !== undefined;
  return {
    id: newRecordId(at),
    at,
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
  if (ratingFits(survey.definition, rating)) return;
  throw new Refusal("rating_out_of_range", {
    detail: `A rating of this survey is ${ratingsText(survey.definition)}.`,
    errors: [{ pointer: "/rating", code: "out_of_range" }],
  });
}

/** @throws Refusal for a session or a rating that does not fit */
function responseOf(record: NewRecord, { payload, survey }: OpenedToken, body: ResponseBody): NewResponse {
  checkSession(payload, body);
  checkRating(survey, body.rating);
  return {
    ...record,
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

/** The reply, or the record that used the token before. */
type Spent = { reply: IngestOk } | { reply?: undefined; existing: ExistingRecord; tokenId: Uint8Array };

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
 * @param store throws for a request to refuse; if its token was used before, that is reported instead
 */
async function spend(
  { service, project: known, body, stored }: SpendRequest<ResponseBody | DismissalBody>,
  kind: "rating" | "dismissal",
  store: (record: NewRecord, opened: OpenedToken) => Promise<SpendOutcome>,
): Promise<Spent> {
  const { payload, project } = await openToken(service, known, body.showToken);
  const tokenId = ledgerKey(payload);
  let record: NewRecord;
  let outcome: SpendOutcome;
  try {
    const opened = { payload, project, survey: surveyOf(project, payload, body.surveyId) };
    record = recordOf(opened, body.userId, service.clock.now());
    outcome = await store(record, opened);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const [existing] = await service.store.spentTokens(project.id, [tokenId]);
    if (existing) return { existing, tokenId };
    throw error;
  }
  if (outcome.outcome === "stale") throw staleToken();
  if (outcome.outcome === "spent") return { existing: outcome.existing, tokenId };
  countToken(service, project, payload, kind === "rating" ? "answered" : "dismissed");
  stored?.(kind);
  return { reply: { ok: true, id: record.id, at: timestamp(record.at) } };
}

/** Fewer than most scales have ratings, so that a stored rating cannot be found by trying. */
const mostComparisons = 3;

/**
 * Whether the answer that used a token is the one of this request. Only within a day of that answer, and with the first
 * refusals of the token.
 */
async function isSameAnswer(
  { service: { store, clock }, project, body: { rating, text = "" } }: SpendRequest<ResponseBody>,
  { kind, at }: ExistingRecord,
  tokenId: Uint8Array,
): Promise<boolean | undefined> {
  if (kind !== "response" || at === undefined || clock.now() > at + dayInMs) return undefined;
  const answer = await store.answerToCompare(project.id, tokenId, mostComparisons);
  return answer && answer.rating === rating && (answer.text ?? "") === text;
}

/** Says what became of a token. Its holder may read the rating of its run, never the text (decision D128). */
function checkOf(payload: TokenPayload, existing: ExistingRecord | undefined, now: number): TokenCheck {
  const { surveyId, sessionId } = payload;
  if (!existing) return { state: isExpired(payload, now) ? "expired" : "fresh", surveyId };
  const { at, rating } = existing;
  if (sessionId === undefined || at === undefined || rating === undefined) return { state: "used", surveyId };
  return { state: "used", surveyId, answer: { rating, at: timestamp(at) } };
}

/** Says whether one token or several can still be used, and what was answered. Stores nothing. */
export async function checkTokens(
  service: Service,
  known: Project,
  { showToken, showTokens }: TokenCheckBody,
): Promise<TokenCheckReply> {
  const now = service.clock.now();
  const { masterKeys } = service;
  const payloads = (showTokens ?? [showToken!]).map((token) =>
    readShowToken(masterKeys, known.id, token, now),
  );
  if (!showTokens && !payloads[0]) throw tokenInvalid();
  // Always looks: no write to the store compares the epoch later, as it does for an answer.
  const { id, epoch } = await service.directory.current(known);
  const current = payloads.flatMap((payload) => (payload?.epoch === epoch ? [payload] : []));
  const records = await service.store.spentTokens(id, current.map(ledgerKey));
  const checks = new Map(current.map((payload, index) => [payload, checkOf(payload, records[index], now)]));
  const tokens = payloads.map((payload) => payload && checks.get(payload));
  if (showTokens) return { tokens: tokens.map((check) => check ?? { state: "unknown" }) };
  if (!tokens[0]) throw staleToken();
  return tokens[0];
}

/** Counts that a survey was shown, once for each token. Stores nothing else, and leaves the token as it is. */
export async function reportShown(service: Service, known: Project, token: string): Promise<ShownReply> {
  const { payload, project } = await openToken(service, known, token);
  if (service.runCounts.isNew(payload.tokenId)) countToken(service, project, payload, "shown");
  return { ok: true };
}

/** Stores a rating and uses up its token. */
export async function submitResponse(request: SpendRequest<ResponseBody>): Promise<IngestOk> {
  const { service, body } = request;
  const spent = await spend(request, "rating", (record, opened) =>
    service.store.submit(responseOf(record, opened, body)),
  );
  if (spent.reply) return spent.reply;
  const existing = existingOf(spent.existing);
  const isSame = existing && (await isSameAnswer(request, spent.existing, spent.tokenId));
  throw new Refusal("token_used", { existing: existing && { ...existing, isSame } });
}

/**
 * Stores that the person closed the survey and uses up the token. A repeated dismissal gets the reply of the first one; a
 * token that a response used is refused.
 */
export async function dismiss(request: SpendRequest<DismissalBody>): Promise<IngestOk> {
  const spent = await spend(request, "dismissal", (record) => request.service.store.dismiss(record));
  if (spent.reply) return spent.reply;
  const original = existingOf(spent.existing);
  if (original?.kind === "dismissal") return { ok: true, id: original.id, at: original.at };
  throw new Refusal("token_used", { status: 401, existing: original });
}
