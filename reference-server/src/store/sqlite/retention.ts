import { sql } from "kysely";
import { type RetentionCounts, type RetentionRule } from "../store.ts";
import { all, build, run } from "./build.ts";
import { type Connection } from "./connection.ts";

type Records = "responses" | "dismissals";

/** The ledger forgets what a token was spent on once that is gone, and keeps that it was spent (decision D10). */
function forgetRecords(connection: Connection, table: Records, beforeId: string | undefined, limit: number) {
  if (beforeId === undefined) return 0;
  const old = build.selectFrom(table).where("id", "<", beforeId).orderBy("id").limit(limit);
  const found = all(connection, old.select(["id", "project_id", "token_id"]));
  const ids = found.map(({ id }) => id);
  for (const { project_id, token_id } of found) {
    if (token_id === null) continue;
    const ledger = build.updateTable("spent_tokens").set({ record_id: null, at: null });
    run(connection, ledger.where("project_id", "=", project_id).where("token_id", "=", token_id));
  }
  return run(connection, build.deleteFrom(table).where("id", "in", ids));
}

function removeTexts(connection: Connection, { textsBeforeId, textsAfterId = "", limit }: RetentionRule) {
  if (textsBeforeId === undefined) return { textsRemoved: 0 };
  const range = build.selectFrom("responses").where("id", ">", textsAfterId).where("id", "<", textsBeforeId);
  const ids = all(connection, range.select("id").orderBy("id").limit(limit)).map(({ id }) => id);
  const withoutText = build.updateTable("responses").set({ text: null }).where("text", "is not", null);
  const textsRemoved = run(connection, withoutText.where("id", "in", ids));
  return { textsRemoved, textsThroughId: ids.length < limit ? undefined : ids.at(-1) };
}

function removeFailedTexts(connection: Connection, { failedTextsBeforeId, limit }: RetentionRule): number {
  if (failedTextsBeforeId === undefined) return 0;
  // The plus keeps SQLite off the index of ids, which would lead through every older response: few scores fail.
  const old = sql<boolean>`score_state = 'failed' AND text IS NOT NULL AND +id < ${failedTextsBeforeId}`;
  const rows = build.selectFrom("responses").select("sequence").where(old).limit(limit);
  return run(connection, build.updateTable("responses").set({ text: null }).where("sequence", "in", rows));
}

export function lastCleanUp(connection: Connection): number | undefined {
  return all(connection, build.selectFrom("clean_up").select("last_at"))[0]?.last_at ?? undefined;
}

export function recordCleanUp(connection: Connection, at: number): void {
  run(connection, build.updateTable("clean_up").set({ last_at: at }));
}

/** Call inside a transaction. */
export function retain(connection: Connection, rule: RetentionRule): RetentionCounts {
  const { recordsBeforeId, limit } = rule;
  return {
    responsesDeleted: forgetRecords(connection, "responses", recordsBeforeId, limit),
    dismissalsDeleted: forgetRecords(connection, "dismissals", recordsBeforeId, limit),
    ...removeTexts(connection, rule),
    failedTextsRemoved: removeFailedTexts(connection, rule),
  };
}
