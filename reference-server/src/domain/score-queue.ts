import { timingSafeEqual, type KeyObject } from "node:crypto";
import { isThumbs, ratingFits } from "@afterword/protocol";
import type { PendingScoresQuery, PendingScoresReply, ScoredRun, ScoreResult } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import { timestamp } from "./ids-and-times.ts";
import { Refusal } from "./refusal.ts";
import { keyedHash } from "./respondent-hash.ts";
import { type Project } from "./project-directory.ts";
import { type Service } from "./service.ts";
import type { Acknowledgement, Lease, PageRequest, QueuedScore, ScorePage, Store } from "../store/store.ts";

const cursorVersion = 1;
const bodyLength = 1 + 6 + 1;
const macLength = 16;

const macOf = (key: KeyObject, body: Uint8Array) => keyedHash(key, body).subarray(0, macLength);

/** Version, sequence number and includeFailed, authenticated with the project's own key. */
function sealCursor(key: KeyObject, sequence: number, includeFailed: boolean): string {
  const body = Buffer.alloc(bodyLength);
  body.writeUInt8(cursorVersion, 0);
  body.writeUIntBE(sequence, 1, 6);
  body.writeUInt8(includeFailed ? 1 : 0, 7);
  return Buffer.concat([body, macOf(key, body)]).toString("base64url");
}

/** The sequence number; it stays good after its rows were acknowledged or erased, and never expires. */
function openCursor(key: KeyObject, cursor: string, includeFailed: boolean): number {
  const bytes = Buffer.from(cursor, "base64url");
  const body = bytes.subarray(0, bodyLength);
  const mac = bytes.subarray(bodyLength);
  const isGenuine =
    mac.length === macLength &&
    bytes.toString("base64url") === cursor &&
    timingSafeEqual(mac, macOf(key, body));
  if (!isGenuine || body.readUInt8(0) !== cursorVersion || (body.readUInt8(7) === 1) !== includeFailed) {
    throw new Refusal("invalid_cursor", {
      detail: "Use nextCursor of the page before, with the same includeFailed, or begin without a cursor.",
    });
  }
  return body.readUIntBE(1, 6);
}

const defaultPageSize = 50;

/** The lease that a consumer asks for, in seconds; 0 gives back what it holds. */
function leaseOf({ consumer, lease }: PendingScoresQuery, now: number): Lease | undefined {
  if (consumer === undefined || lease === undefined) return undefined;
  return { consumer, now, until: lease === 0 ? undefined : now + lease * 1000 };
}

async function readPage(store: Store, first: PageRequest, lease: Lease | undefined): Promise<ScorePage> {
  let page = await store.pendingScores(first, lease);
  // On PostgreSQL another consumer may have leased the whole page at the same moment: an empty one would look like the end.
  while (page.scores.length === 0 && page.continuesAfter !== undefined)
    page = await store.pendingScores({ ...first, after: page.continuesAfter }, lease);
  return page;
}

function pendingScoreOf({ everySurveyById }: Project, { sequence: _, at, run, ...score }: QueuedScore) {
  const survey = everySurveyById.get(score.surveyId)?.definition;
  // A node of an earlier version may have stored something between down and up (decision D129).
  const isThumb = survey && isThumbs(survey) && ratingFits(survey, score.rating ?? NaN);
  return {
    ...score,
    at: timestamp(at),
    ...(run !== null && { run: JSON.parse(run) as ScoredRun }),
    ...(isThumb && { thumbs: true as const }),
  };
}

/** Returns a page of the project's linked scores, oldest first. */
export async function listPendingScores(
  service: Service,
  project: Project,
  request: PendingScoresQuery,
): Promise<PendingScoresReply> {
  const { cursorKey: key } = project;
  const includeFailed = request.includeFailed === "true";
  const after = request.cursor === undefined ? 0 : openCursor(key, request.cursor, includeFailed);
  const limit = Math.min(request.limit ?? defaultPageSize, limits.pageSize);
  const wanted = { projectId: project.id, after, includeFailed, limit };
  const { scores, continuesAfter, leased } = await readPage(
    service.store,
    wanted,
    leaseOf(request, service.clock.now()),
  );
  // Another process may have defined the survey of a score a moment ago.
  const current = await service.directory.current(project);
  return {
    scores: scores.map((score) => pendingScoreOf(current, score)),
    ...(continuesAfter !== undefined && { nextCursor: sealCursor(key, continuesAfter, includeFailed) }),
    ...(leased && {
      lease: request.lease,
      leased: { ...leased, until: leased.until === null ? null : timestamp(leased.until) },
    }),
  };
}

/** Counts an id that is listed twice once; delivered beats failed in any order. */
function fold(results: readonly ScoreResult[]): Map<string, Acknowledgement> {
  const byId = new Map<string, Acknowledgement>();
  for (const { id, state, reason } of results) {
    if (byId.get(id)?.state !== "delivered") byId.set(id, { state, reason });
  }
  return byId;
}

/** Returns how many rows changed state. Ignores ids that are unknown or of other projects. */
export function acknowledgeScores(
  service: Service,
  project: Project,
  results: readonly ScoreResult[],
): Promise<number> {
  return service.store.acknowledge(project.id, fold(results), service.clock.now());
}
