import { sql } from "kysely";
import { type RetentionCounts, type RetentionRule } from "../store.ts";
import { blanked } from "./blanked.ts";
import { build, changedBy, rowsOf, type Work } from "./work.ts";

/** The ledger forgets what a token was spent on once that is gone, and keeps that it was spent (decision D10). */
function* forgetRecords(
  table: "responses" | "dismissals",
  { recordsBeforeId, limit }: RetentionRule,
): Work<number> {
  if (recordsBeforeId === undefined) return 0;
  const old = build
    .selectFrom(table)
    .select("id")
    .where("id", "<", recordsBeforeId)
    .orderBy("id")
    .limit(limit);
  const records = build.deleteFrom(table).where("id", "in", old);
  const gone = yield* rowsOf(records.returning(["projectId", "tokenId"]));
  for (const [projectId, rows] of Map.groupBy(gone, (row) => row.projectId)) {
    const tokenIds = rows.map(({ tokenId }) => tokenId).filter((id) => id !== null);
    if (tokenIds.length === 0) continue;
    const ledger = build.updateTable("spentTokens").set(blanked);
    yield ledger.where("projectId", "=", projectId).where("tokenId", "in", tokenIds);
  }
  return gone.length;
}

function* removeTexts({ textsBeforeId, textsAfterId = "", limit }: RetentionRule) {
  if (textsBeforeId === undefined) return { textsRemoved: 0 };
  const range = build.selectFrom("responses").where("id", ">", textsAfterId).where("id", "<", textsBeforeId);
  const found = yield* rowsOf(range.select("id").orderBy("id").limit(limit));
  if (found.length === 0) return { textsRemoved: 0 };
  const ids = found.map(({ id }) => id);
  const withoutText = build.updateTable("responses").set({ text: null }).where("text", "is not", null);
  const textsRemoved = yield* changedBy(withoutText.where("id", "in", ids));
  return { textsRemoved, textsThroughId: ids.length < limit ? undefined : ids.at(-1) };
}

function* removeFailedTexts({ failedTextsBeforeId, limit }: RetentionRule): Work<number> {
  if (failedTextsBeforeId === undefined) return 0;
  const failed = build.selectFrom("responses").select("sequence").where("scoreState", "=", "failed");
  // The empty text keeps databases off the index of ids, which leads through every older response: few scores fail.
  const isOld = sql<boolean>`id || '' < ${failedTextsBeforeId}`;
  const rows = failed.where("text", "is not", null).where(isOld).limit(limit);
  return yield* changedBy(build.updateTable("responses").set({ text: null }).where("sequence", "in", rows));
}

/** Along an index by time. */
function* forgetBefore(table: "asks" | "runs", before: number | undefined, limit: number): Work<number> {
  if (before === undefined) return 0;
  const key = sql.raw(`project_id, respondent_hash, survey_id, ${table === "runs" ? "run_hash" : "at"}`);
  const old = sql`SELECT ${key} FROM ${sql.table(table)} WHERE at < ${before} ORDER BY at LIMIT ${limit}`;
  return yield* changedBy(sql`DELETE FROM ${sql.table(table)} WHERE (${key}) IN (${old})`);
}

/** One step of a clean-up. */
export function* retain(rule: RetentionRule): Work<RetentionCounts> {
  return {
    responsesDeleted: yield* forgetRecords("responses", rule),
    dismissalsDeleted: yield* forgetRecords("dismissals", rule),
    ...(yield* removeTexts(rule)),
    failedTextsRemoved: yield* removeFailedTexts(rule),
    asksForgotten: yield* forgetBefore("asks", rule.asksBefore, rule.limit),
    runsForgotten: yield* forgetBefore("runs", rule.runsBefore, rule.limit),
  };
}

export function* lastCleanUp(): Work<number | undefined> {
  const [row] = yield* rowsOf(build.selectFrom("cleanUp").select("lastAt"));
  return row?.lastAt ?? undefined;
}

const deliveriesKeptForMs = 30 * 24 * 3_600_000;

/** Counts of deliveries are for operators, who look at the last days. */
export function* recordCleanUp(at: number): Work<void> {
  yield build.deleteFrom("deliveries").where("hour", "<", at - deliveriesKeptForMs);
  // Of scores that were erased while they were leased; all others end with an acknowledgement or the next lease.
  yield build.deleteFrom("leases").where("until", "<", at);
  yield build.updateTable("cleanUp").set({ lastAt: at });
}
