import { dayInMs } from "@afterword/protocol/duration";
import { sql } from "kysely";
import { idBoundary } from "@afterword/reference-server/internal";
import { type Queries } from "@afterword/results/store";

/** Forgets at most `limit` rows of one kind from before a moment, and returns how many. */
type Step = (queries: Queries, before: number, limit: number) => Promise<number>;

/** Keeps that a token was used, and on which day: by it the tokens of runs are forgotten. */
const blanked = {
  recordId: null,
  at: sql<number>`spent_tokens.at - spent_tokens.at % ${sql.lit(dayInMs)}`,
};

/**
 * Deletes records as a whole; counts of surveys and suppression stay as they are. The ledger forgets what a token was spent on,
 * and keeps that it was spent.
 */
const deleteRecords =
  (table: "responses" | "dismissals"): Step =>
  async (queries, before, limit) => {
    const old = queries.selectFrom(table).select("id").where("id", "<", idBoundary(before));
    const records = queries.deleteFrom(table).where("id", "in", old.orderBy("id").limit(limit));
    const gone = await records.returning(["projectId", "tokenId"]).execute();
    for (const [projectId, rows] of Map.groupBy(gone, (row) => row.projectId)) {
      const tokenIds = rows.map(({ tokenId }) => tokenId).filter((id) => id !== null);
      if (tokenIds.length === 0) continue;
      const ledger = queries.updateTable("spentTokens").set(blanked);
      await ledger.where("projectId", "=", projectId).where("tokenId", "in", tokenIds).execute();
    }
    return gone.length;
  };

/** Removes texts along an index of the rows that have one, so that a step costs what it removes; the ratings stay. */
const removeTexts: Step = async (queries, before, limit) => {
  const texts = queries.selectFrom("responses").select("sequence").where("text", "is not", null);
  const old = texts.where("at", "<", before).orderBy("at").limit(limit);
  const emptied = queries.updateTable("responses").set({ text: null }).where("sequence", "in", old);
  return Number((await emptied.executeTakeFirst()).numUpdatedRows);
};

/** Removes texts of scores that count as failed, which are looked for among all failed ones. */
const removeFailedTexts: Step = async (queries, before, limit) => {
  const failed = queries.selectFrom("responses").select("sequence").where("scoreState", "=", "failed");
  // The empty texts keep databases off the indexes of ids and of texts, which lead through older responses: few scores fail.
  const isOld = sql<boolean>`text || '' IS NOT NULL AND id || '' < ${idBoundary(before)}`;
  const rows = failed.where(isOld).limit(limit);
  const emptied = queries.updateTable("responses").set({ text: null }).where("sequence", "in", rows);
  return Number((await emptied.executeTakeFirst()).numUpdatedRows);
};

/** Deletes rows of a table without an id, along its index by time. @param key columns that identify a row */
const forgetRows = (table: string, time: string, key: string): Step => {
  const columns = sql.raw(key);
  const [from, at] = [sql.table(table), sql.ref(time)];
  return async (queries, before, limit) => {
    const old = sql`SELECT ${columns} FROM ${from} WHERE ${at} < ${before} ORDER BY ${at} LIMIT ${limit}`;
    const forgotten = await sql`DELETE FROM ${from} WHERE (${columns}) IN (${old})`.execute(queries);
    return Number(forgotten.numAffectedRows);
  };
};

/** What a clean-up forgets. */
const steps = {
  responsesDeleted: deleteRecords("responses"),
  dismissalsDeleted: deleteRecords("dismissals"),
  textsRemoved: removeTexts,
  failedTextsRemoved: removeFailedTexts,
  asksForgotten: forgetRows("asks", "at", "project_id, respondent_hash, survey_id, at"),
  runsForgotten: forgetRows("runs", "at", "project_id, respondent_hash, survey_id, run_hash"),
  runCountsForgotten: forgetRows(
    "run_counts",
    "day",
    "project_id, survey_id, day, version, stratum, kind, reason",
  ),
};

export type RetentionKind = keyof typeof steps;
/** The moment before which a kind is forgotten, in milliseconds since 1970. Absent: nothing of the kind is. */
export type RetentionRule = Partial<Record<RetentionKind, number>>;
export type RetentionCounts = Record<RetentionKind, number>;

/** One step of a clean-up. @param limit rows of each kind that it forgets at most */
export async function retain(queries: Queries, rule: RetentionRule, limit: number): Promise<RetentionCounts> {
  const counts = Object.fromEntries(Object.keys(steps).map((kind) => [kind, 0])) as RetentionCounts;
  for (const [kind, step] of Object.entries(steps) as [RetentionKind, Step][])
    if (rule[kind] !== undefined) counts[kind] = await step(queries, rule[kind], limit);
  return counts;
}

/** When the last clean-up was, by the clock that it went by; `undefined` before the first. */
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
