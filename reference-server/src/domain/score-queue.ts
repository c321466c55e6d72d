import { timingSafeEqual, type KeyObject } from "node:crypto";
import type { PendingScoresReply, ScoreResult } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import { timestamp } from "./ids-and-times.ts";
import { Refusal } from "./refusal.ts";
import { keyedHash } from "./respondent-hash.ts";
import { type Project } from "./project-directory.ts";
import { type Service } from "./service.ts";
import { type Acknowledgement } from "../store/store.ts";

const cursorVersion = 1;
const bodyLength = 1 + 6 + 1;
const macLength = 16;

const macOf = (key: KeyObject, body: Uint8Array) => keyedHash(key, body).subarray(0, macLength);

/** Version, sequence number and includeFailed, authenticated with the project's own key (decision D84). */
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

/** Decision D88. */
const defaultPageSize = 50;

export interface QueueRequest {
  limit?: number;
  includeFailed?: "true";
  cursor?: string;
}

/** One page of the project's linked scores, oldest first. */
export async function listPendingScores(
  service: Service,
  project: Project,
  request: QueueRequest,
): Promise<PendingScoresReply> {
  const { cursorKey: key } = project;
  const includeFailed = request.includeFailed === "true";
  const after = request.cursor === undefined ? 0 : openCursor(key, request.cursor, includeFailed);
  const size = Math.min(request.limit ?? defaultPageSize, limits.pageSize);
  // One row more than asked for tells whether anything follows.
  const rows = await service.store.pendingScores({
    projectId: project.id,
    after,
    includeFailed,
    limit: size + 1,
  });
  const scores = rows
    .slice(0, size)
    .map(({ sequence: _, at, ...score }) => ({ ...score, at: timestamp(at) }));
  if (rows.length <= size) return { scores };
  return { scores, nextCursor: sealCursor(key, rows[size - 1]!.sequence, includeFailed) };
}

/** The same id twice counts once, and delivered beats failed in any order (decision D91). */
function fold(results: readonly ScoreResult[]): Map<string, Acknowledgement> {
  const byId = new Map<string, Acknowledgement>();
  for (const { id, state, reason } of results) {
    if (byId.get(id)?.state !== "delivered") byId.set(id, { state, reason });
  }
  return byId;
}

/** Returns how many rows changed state. Ignores ids that are unknown or of other projects (decision D93). */
export function acknowledgeScores(
  service: Service,
  project: Project,
  results: readonly ScoreResult[],
): Promise<number> {
  return service.store.acknowledge(project.id, fold(results), service.clock.now());
}
