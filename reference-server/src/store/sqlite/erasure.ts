import { sql } from "kysely";
import { type EraseCounts, type EraseSelection, type ProjectPurge } from "../store.ts";
import { all, build, run } from "./build.ts";
import { type Connection } from "./connection.ts";
import { bumpDirectory } from "./directory.ts";

const dayInMs = 24 * 60 * 60_000;

type Records = "responses" | "dismissals";

/** The rows to erase; with neither respondents nor surveys, all rows of the project. */
function condition({ projectId, respondents, surveyIds, storedUntil }: EraseSelection) {
  const conditions = [sql<boolean>`project_id = ${projectId}`];
  if (respondents) {
    const ids = respondents.map(({ id }) => id);
    conditions.push(sql<boolean>`respondent_id IN (${sql.join(ids)})`);
  }
  if (surveyIds) conditions.push(sql<boolean>`survey_id IN (${sql.join([...surveyIds])})`);
  if (storedUntil !== undefined) conditions.push(sql<boolean>`at <= ${storedUntil}`);
  return sql<boolean>`${sql.join(conditions, sql` AND `)}`;
}

/** The ledger forgets what the token was spent on, and keeps that it was spent (decision D10). */
function blankLedger(connection: Connection, table: Records, selection: EraseSelection): void {
  const tokens = build.selectFrom(table).select("token_id").where(condition(selection));
  const ledger = build.updateTable("spent_tokens").set({ record_id: null, at: null });
  run(connection, ledger.where("project_id", "=", selection.projectId).where("token_id", "in", tokens));
}

function recount(connection: Connection, selection: EraseSelection): void {
  const counts = build
    .selectFrom("responses")
    .select(({ fn }) => ["survey_id", fn.countAll<number>().as("erased")])
    .where(condition(selection))
    .groupBy("survey_id");
  for (const { survey_id, erased } of all(connection, counts)) {
    const query = build
      .updateTable("response_counts")
      .set(({ eb }) => ({ responses: eb("responses", "-", erased) }));
    run(connection, query.where("project_id", "=", selection.projectId).where("survey_id", "=", survey_id));
  }
}

function hashesOf({ respondents }: EraseSelection) {
  return respondents?.map(({ hash }) => hash);
}

function asksOf(selection: EraseSelection) {
  const hashes = hashesOf(selection);
  let query = build.selectFrom("asks").where("project_id", "=", selection.projectId);
  if (hashes) query = query.where("respondent_hash", "in", hashes);
  if (selection.surveyIds) query = query.where("survey_id", "in", [...selection.surveyIds]);
  return query;
}

/** What stays of suppression: one row per respondent and survey, no finer in time than a day. */
function coarsenAsks(connection: Connection, selection: EraseSelection): number {
  const facts = all(
    connection,
    asksOf(selection)
      .select(({ fn }) => [
        "respondent_hash",
        "survey_id",
        fn.max("at").as("at"),
        fn.sum<number>("times").as("times"),
      ])
      .groupBy(["respondent_hash", "survey_id"]),
  );
  const { projectId } = selection;
  for (const { respondent_hash, survey_id, at, times } of facts) {
    const fact = build
      .deleteFrom("asks")
      .where("project_id", "=", projectId)
      .where("survey_id", "=", survey_id);
    run(connection, fact.where("respondent_hash", "=", respondent_hash));
    const row = { project_id: projectId, respondent_hash, survey_id, at: at - (at % dayInMs), times };
    run(connection, build.insertInto("asks").values(row));
  }
  return facts.length;
}

function deleteRecords(connection: Connection, selection: EraseSelection) {
  const deleted = (table: Records) => run(connection, build.deleteFrom(table).where(condition(selection)));
  return { responsesDeleted: deleted("responses"), dismissalsDeleted: deleted("dismissals") };
}

/** Call inside a transaction: all of it happens or nothing. */
export function erase(connection: Connection, selection: EraseSelection): EraseCounts {
  blankLedger(connection, "responses", selection);
  blankLedger(connection, "dismissals", selection);
  recount(connection, selection);
  const counts = deleteRecords(connection, selection);
  return { ...counts, suppressionRetained: coarsenAsks(connection, selection) };
}

/** Call inside a transaction. Suppression goes too, and its hashes could not be computed any more (decision D106). */
export function purgeProject(connection: Connection, { projectId, pepperSalt }: ProjectPurge): EraseCounts {
  const counts = deleteRecords(connection, { projectId });
  for (const table of ["asks", "response_counts", "spent_tokens"] as const) {
    run(connection, build.deleteFrom(table).where("project_id", "=", projectId));
  }
  const next = build
    .updateTable("projects")
    .set(({ eb }) => ({ epoch: eb("epoch", "+", 1), pepper_salt: pepperSalt }));
  run(connection, next.where("id", "=", projectId));
  bumpDirectory(connection);
  return { ...counts, suppressionRetained: 0 };
}
