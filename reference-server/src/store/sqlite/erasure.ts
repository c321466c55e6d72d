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

function askCondition({ projectId, respondents, surveyIds }: EraseSelection) {
  const conditions = [sql<boolean>`project_id = ${projectId}`];
  if (respondents) {
    const hashes = respondents.map(({ hash }) => hash);
    conditions.push(sql<boolean>`respondent_hash IN (${sql.join(hashes)})`);
  }
  if (surveyIds) conditions.push(sql<boolean>`survey_id IN (${sql.join([...surveyIds])})`);
  return sql<boolean>`${sql.join(conditions, sql` AND `)}`;
}

/**
 * What stays of suppression: one row per respondent and survey, no finer in time than a day. Two statements whatever
 * the number of people: the row that stays is added, or gets the sum where it was there, and then all others go.
 */
function coarsenAsks(connection: Connection, selection: EraseSelection): number {
  const chosen = askCondition(selection);
  const kept = sql`
    INSERT INTO asks (project_id, respondent_hash, survey_id, at, times)
    SELECT project_id, respondent_hash, survey_id, max(at) - max(at) % ${sql.lit(dayInMs)}, sum(times)
    FROM asks WHERE ${chosen} GROUP BY project_id, respondent_hash, survey_id
    ON CONFLICT DO UPDATE SET times = excluded.times`;
  const retained = run(connection, kept);
  // While rows go the latest may be another one, and its day is still the day of the row that stays.
  const tooFine = sql`
    DELETE FROM asks WHERE ${chosen} AND at <> (
      SELECT max(latest.at) - max(latest.at) % ${sql.lit(dayInMs)} FROM asks AS latest
      WHERE latest.project_id = asks.project_id AND latest.respondent_hash = asks.respondent_hash
        AND latest.survey_id = asks.survey_id)`;
  run(connection, tooFine);
  return retained;
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

/** Suppression goes too, and its hashes could not be computed any more (decision D106). */
function purgeProject(connection: Connection, { projectId, pepperSalt }: ProjectPurge): EraseCounts {
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

export type Erasure = { selection: EraseSelection } | { purge: ProjectPurge };

/** Call inside a transaction. */
export function runErasure(connection: Connection, erasure: Erasure): EraseCounts {
  return "selection" in erasure
    ? erase(connection, erasure.selection)
    : purgeProject(connection, erasure.purge);
}
