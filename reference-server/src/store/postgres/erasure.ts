import { sql } from "kysely";
import { type EraseCounts, type EraseSelection, type ProjectPurge } from "../store.ts";
import { all, build, run, type Connection } from "./build.ts";
import { bumpDirectory } from "./directory.ts";
import { beginsAsOneOf } from "./respondent-index.ts";

const dayInMs = 24 * 60 * 60_000;
/** Erasures are counted in a row of their own, so that they never hold up a submit. */
const erasureShard = -1;

/** The rows to erase; with neither respondents nor surveys, all rows of the project. */
function condition({ projectId, respondents, surveyIds, storedUntil }: EraseSelection) {
  const conditions = [sql`project_id = ${projectId}`];
  if (respondents) {
    const ids = respondents.map(({ id }) => id);
    conditions.push(beginsAsOneOf(ids), sql`respondent_id = ANY (${ids}::text[])`);
  }
  if (surveyIds) conditions.push(sql`survey_id = ANY (${[...surveyIds]}::text[])`);
  if (storedUntil !== undefined) conditions.push(sql`at <= ${storedUntil}::bigint`);
  return sql.join(conditions, sql` AND `);
}

function askCondition({ projectId, respondents, surveyIds }: EraseSelection) {
  const conditions = [sql`project_id = ${projectId}`];
  if (respondents)
    conditions.push(sql`respondent_hash = ANY (${respondents.map(({ hash }) => hash)}::bytea[])`);
  if (surveyIds) conditions.push(sql`survey_id = ANY (${[...surveyIds]}::text[])`);
  return sql.join(conditions, sql` AND `);
}

/** The ledger forgets what the tokens were spent on, and keeps that they were spent (decision D10). */
const blankLedger = (projectId: string) => sql`
  UPDATE spent_tokens SET record_id = NULL, at = NULL FROM gone
  WHERE spent_tokens.project_id = ${projectId} AND spent_tokens.token_id = gone.token_id`;

async function countOf(
  connection: Connection,
  statement: ReturnType<typeof sql<{ rows: number }>>,
): Promise<number> {
  const [counted] = await all(connection, statement);
  return counted?.rows ?? 0;
}

function deleteResponses(connection: Connection, selection: EraseSelection): Promise<number> {
  return countOf(
    connection,
    sql<{ rows: number }>`
      WITH gone AS (
        DELETE FROM responses WHERE ${condition(selection)} RETURNING survey_id, token_id
      ), blanked AS (${blankLedger(selection.projectId)}), uncounted AS (
        INSERT INTO response_counts (project_id, survey_id, shard, responses)
        SELECT ${selection.projectId}, survey_id, ${erasureShard}, -count(*) FROM gone GROUP BY survey_id
        ON CONFLICT (project_id, survey_id, shard) DO UPDATE
        SET responses = response_counts.responses + excluded.responses
      )
      SELECT count(*) AS rows FROM gone`,
  );
}

function deleteDismissals(connection: Connection, selection: EraseSelection): Promise<number> {
  return countOf(
    connection,
    sql<{ rows: number }>`
      WITH gone AS (
        DELETE FROM dismissals WHERE ${condition(selection)} RETURNING token_id
      ), blanked AS (${blankLedger(selection.projectId)})
      SELECT count(*) AS rows FROM gone`,
  );
}

/** What stays of suppression: one row per respondent and survey, no finer in time than a day. */
function coarsenAsks(connection: Connection, selection: EraseSelection): Promise<number> {
  return countOf(
    connection,
    sql<{ rows: number }>`
      WITH gone AS MATERIALIZED (
        DELETE FROM asks WHERE ${askCondition(selection)} RETURNING project_id, respondent_hash, survey_id, at, times
      ), kept AS (
        INSERT INTO asks (project_id, respondent_hash, survey_id, at, times)
        SELECT project_id, respondent_hash, survey_id, max(at) - max(at) % ${dayInMs}::bigint, sum(times)
        FROM gone GROUP BY project_id, respondent_hash, survey_id
        RETURNING survey_id
      )
      SELECT count(*) AS rows FROM kept`,
  );
}

/** Call inside a transaction: all of it happens or nothing. */
export async function erase(connection: Connection, selection: EraseSelection): Promise<EraseCounts> {
  const responsesDeleted = await deleteResponses(connection, selection);
  const dismissalsDeleted = await deleteDismissals(connection, selection);
  // Last: each statement sees what was committed by then, and no moment of what it erased may stay.
  const suppressionRetained = await coarsenAsks(connection, selection);
  return { responsesDeleted, dismissalsDeleted, suppressionRetained };
}

/** Call inside a transaction. Suppression goes too, and its hashes could not be computed any more (decision D106). */
export async function purgeProject(connection: Connection, purge: ProjectPurge): Promise<EraseCounts> {
  const { projectId, pepperSalt } = purge;
  await bumpDirectory(connection);
  // Waits for submits on their way, which hold a share of this row, and lets none of the old epoch come after.
  await all(connection, build.selectFrom("projects").select("id").where("id", "=", projectId).forUpdate());
  const deleted = (table: "responses" | "dismissals" | "asks" | "response_counts" | "spent_tokens") =>
    run(connection, build.deleteFrom(table).where("project_id", "=", projectId));
  const responsesDeleted = await deleted("responses");
  const dismissalsDeleted = await deleted("dismissals");
  for (const table of ["asks", "response_counts", "spent_tokens"] as const) await deleted(table);
  const next = build
    .updateTable("projects")
    .set(({ eb }) => ({ epoch: eb("epoch", "+", 1), pepper_salt: pepperSalt }));
  await run(connection, next.where("id", "=", projectId));
  return { responsesDeleted, dismissalsDeleted, suppressionRetained: 0 };
}

/** What `removeErasedText` cannot reach. */
export const erasedBytesNote =
  "Freed space in the pages of PostgreSQL's tables keeps the erased bytes until new rows take it or VACUUM FULL is " +
  "run, and its write-ahead log, replicas and backups keep them until they are recycled.";

const touched = ["responses", "dismissals", "asks", "spent_tokens"] as const;

/**
 * Takes deleted rows out of the tables (decision D104); has to stand outside of any transaction. The bytes of some stay
 * in the free space of their pages until new rows take it: only `VACUUM FULL` would remove those at once, and nobody
 * could answer a survey meanwhile.
 */
export async function removeErasedText(connection: Connection): Promise<void> {
  // Another VACUUM of the same table may be at work; what is left then goes with the next one.
  await connection.query("SET lock_timeout = '10s'");
  for (const table of touched) await all(connection, sql`VACUUM ${sql.table(table)}`);
  await connection.query("RESET lock_timeout");
}
