import { sql } from "kysely";
import { type RetentionCounts, type RetentionRule } from "../store.ts";
import { all, build, run, type Connection } from "./build.ts";

type Records = "responses" | "dismissals";

/** The ledger forgets what a token was spent on once that is gone, and keeps that it was spent (decision D10). */
async function forgetRecords(
  connection: Connection,
  table: Records,
  beforeId: string | undefined,
  limit: number,
) {
  if (beforeId === undefined) return 0;
  const old = build.selectFrom(table).select("id").where("id", "<", beforeId).orderBy("id").limit(limit);
  const [counted] = await all(
    connection,
    sql<{ rows: number }>`
      WITH gone AS (
        DELETE FROM ${sql.table(table)} WHERE id IN (${old}) RETURNING project_id, token_id
      ), blanked AS (
        UPDATE spent_tokens SET record_id = NULL, at = NULL FROM gone
        WHERE spent_tokens.project_id = gone.project_id AND spent_tokens.token_id = gone.token_id
      )
      SELECT count(*) AS rows FROM gone`,
  );
  return counted?.rows ?? 0;
}

async function removeTexts(
  connection: Connection,
  { textsBeforeId, textsAfterId = "", limit }: RetentionRule,
) {
  if (textsBeforeId === undefined) return { textsRemoved: 0 };
  const range = build.selectFrom("responses").where("id", ">", textsAfterId).where("id", "<", textsBeforeId);
  const ids = (await all(connection, range.select("id").orderBy("id").limit(limit))).map(({ id }) => id);
  const withoutText = build.updateTable("responses").set({ text: null }).where("text", "is not", null);
  const textsRemoved = await run(connection, withoutText.where(sql<boolean>`id = ANY (${ids}::text[])`));
  return { textsRemoved, textsThroughId: ids.length < limit ? undefined : ids.at(-1) };
}

/** Few scores fail, and they have an index of their own. */
async function removeFailedTexts(
  connection: Connection,
  { failedTextsBeforeId, limit }: RetentionRule,
): Promise<number> {
  if (failedTextsBeforeId === undefined) return 0;
  const failed = build.selectFrom("responses").select("sequence").where("score_state", "=", "failed");
  const old = failed.where("text", "is not", null).where("id", "<", failedTextsBeforeId).limit(limit);
  return run(connection, build.updateTable("responses").set({ text: null }).where("sequence", "in", old));
}

export async function lastCleanUp(connection: Connection): Promise<number | undefined> {
  return (await all(connection, build.selectFrom("clean_up").select("last_at")))[0]?.last_at ?? undefined;
}

export async function recordCleanUp(connection: Connection, at: number): Promise<void> {
  await run(connection, build.updateTable("clean_up").set({ last_at: at }));
}

/** The database's clock in milliseconds since 1970. */
export async function databaseNow(connection: Connection): Promise<number> {
  const now = sql<{ now: number }>`SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;
  return (await all(connection, now))[0]!.now;
}

/** Call inside a transaction. */
export async function retain(connection: Connection, rule: RetentionRule): Promise<RetentionCounts> {
  const { recordsBeforeId, limit } = rule;
  return {
    responsesDeleted: await forgetRecords(connection, "responses", recordsBeforeId, limit),
    dismissalsDeleted: await forgetRecords(connection, "dismissals", recordsBeforeId, limit),
    ...(await removeTexts(connection, rule)),
    failedTextsRemoved: await removeFailedTexts(connection, rule),
  };
}
