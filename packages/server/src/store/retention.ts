import { dayInMs } from "@afterword/protocol/duration";
import { sql } from "kysely";
import { type Queries } from "@afterword/results/store";
import {
  retentionKinds,
  type RetentionCounts,
  type RetentionKind,
  type RetentionRule,
} from "./administration.ts";

/** Keeps that a token was used, and on which day: by it the tokens of runs are forgotten. */
const blanked = {
  recordId: null,
  at: sql<number>`spent_tokens.at - spent_tokens.at % ${sql.lit(dayInMs)}`,
};

/** The ledger forgets what a token was spent on once that is gone, and keeps that it was spent. */
async function forgetRecords(
  queries: Queries,
  table: "responses" | "dismissals",
  { recordsBeforeId, limit }: RetentionRule,
): Promise<number> {
  if (recordsBeforeId === undefined) return 0;
  const old = queries
    .selectFrom(table)
    .select("id")
    .where("id", "<", recordsBeforeId)
    .orderBy("id")
    .limit(limit);
  const records = queries.deleteFrom(table).where("id", "in", old);
  const gone = await records.returning(["projectId", "tokenId"]).execute();
  for (const [projectId, rows] of Map.groupBy(gone, (row) => row.projectId)) {
    const tokenIds = rows.map(({ tokenId }) => tokenId).filter((id) => id !== null);
    if (tokenIds.length === 0) continue;
    const ledger = queries.updateTable("spentTokens").set(blanked);
    await ledger.where("projectId", "=", projectId).where("tokenId", "in", tokenIds).execute();
  }
  return gone.length;
}

/** Along an index of the rows that have a text, so that a step costs what it removes. */
async function removeTexts(queries: Queries, { textsBefore, limit }: RetentionRule): Promise<number> {
  if (textsBefore === undefined) return 0;
  const texts = queries.selectFrom("responses").select("sequence").where("text", "is not", null);
  const old = texts.where("at", "<", textsBefore).orderBy("at").limit(limit);
  const emptied = queries.updateTable("responses").set({ text: null }).where("sequence", "in", old);
  return Number((await emptied.executeTakeFirst()).numUpdatedRows);
}

async function removeFailedTexts(
  queries: Queries,
  { failedTextsBeforeId, limit }: RetentionRule,
): Promise<number> {
  if (failedTextsBeforeId === undefined) return 0;
  const failed = queries.selectFrom("responses").select("sequence").where("scoreState", "=", "failed");
  // The empty texts keep databases off the indexes of ids and of texts, which lead through older responses: few scores fail.
  const isOld = sql<boolean>`id || '' < ${failedTextsBeforeId}`;
  const rows = failed
    .where(sql<boolean>`text || '' IS NOT NULL`)
    .where(isOld)
    .limit(limit);
  const emptied = queries.updateTable("responses").set({ text: null }).where("sequence", "in", rows);
  return Number((await emptied.executeTakeFirst()).numUpdatedRows);
}

/** Time and key of tables without an id. */
const agingTables = {
  asks: ["at", "project_id, respondent_hash, survey_id, at"],
  runs: ["at", "project_id, respondent_hash, survey_id, run_hash"],
  run_counts: ["day", "project_id, survey_id, day, version, stratum, kind, reason"],
} as const;

/** Along an index by time. */
async function forgetBefore(
  queries: Queries,
  table: keyof typeof agingTables,
  before: number | undefined,
  limit: number,
): Promise<number> {
  if (before === undefined) return 0;
  const [time, key] = agingTables[table].map((columns) => sql.raw(columns));
  const old = sql`SELECT ${key} FROM ${sql.table(table)} WHERE ${time} < ${before} ORDER BY ${time} LIMIT ${limit}`;
  const forgotten = sql`DELETE FROM ${sql.table(table)} WHERE (${key}) IN (${old})`;
  return Number((await forgotten.execute(queries)).numAffectedRows);
}

const steps: Record<RetentionKind, (queries: Queries, rule: RetentionRule) => Promise<number>> = {
  responsesDeleted: (queries, rule) => forgetRecords(queries, "responses", rule),
  dismissalsDeleted: (queries, rule) => forgetRecords(queries, "dismissals", rule),
  textsRemoved: removeTexts,
  failedTextsRemoved: removeFailedTexts,
  asksForgotten: (queries, { asksBefore, limit }) => forgetBefore(queries, "asks", asksBefore, limit),
  runsForgotten: (queries, { runsBefore, limit }) => forgetBefore(queries, "runs", runsBefore, limit),
  runCountsForgotten: (queries, { runCountsBefore, limit }) =>
    forgetBefore(queries, "run_counts", runCountsBefore, limit),
};

/** One step of a clean-up. */
export async function retain(queries: Queries, rule: RetentionRule): Promise<RetentionCounts> {
  const counts = Object.fromEntries(retentionKinds.map((kind) => [kind, 0])) as Record<RetentionKind, number>;
  for (const kind of rule.kinds ?? retentionKinds) counts[kind] = await steps[kind](queries, rule);
  return counts;
}

export async function newestRecordAt(queries: Queries): Promise<number | undefined> {
  const times: number[] = [];
  for (const table of ["responses", "dismissals"] as const) {
    const newest = queries.selectFrom(table).select("at").orderBy("id", "desc").limit(1);
    times.push(...(await newest.execute()).map(({ at }) => at));
  }
  return times.length === 0 ? undefined : Math.max(...times);
}

export async function lastCleanUp(queries: Queries): Promise<number | undefined> {
  const row = await queries.selectFrom("cleanUp").select("lastAt").executeTakeFirst();
  return row?.lastAt ?? undefined;
}

const deliveriesKeptForMs = 30 * 24 * 3_600_000;

/** Counts of deliveries are for operators, who look at the last days. */
export async function recordCleanUp(queries: Queries, at: number): Promise<void> {
  await queries
    .deleteFrom("deliveries")
    .where("hour", "<", at - deliveriesKeptForMs)
    .execute();
  // These are leases of scores that were erased meanwhile; all others end with an acknowledgement or the next lease.
  await queries.deleteFrom("leases").where("until", "<", at).execute();
  await queries.updateTable("cleanUp").set({ lastAt: at }).execute();
}
