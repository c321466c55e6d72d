import {
  dayInMs,
  type EraseCounts,
  type EraseSelection,
  type ProjectPurge,
  tablesBesideRecords,
} from "@afterword/reference-server/internal";
import { execute, isPooled, type Connection } from "./connection.ts";
import { isRespondent, respondentParameters } from "./respondent-index.ts";

const blanked = `record_id = NULL, at = spent_tokens.at - spent_tokens.at % ${dayInMs}`;

/** Returns the erased rows by survey. The ledger forgets what the tokens were spent on, and keeps that they were spent. */
const deleteRecords = (table: "responses" | "dismissals") => `
  WITH gone AS (
    DELETE FROM ${table} WHERE project_id = $1 AND ${isRespondent(2)}
      AND ($4::text[] IS NULL OR survey_id = ANY ($4)) AND at <= $5
    RETURNING survey_id, token_id
  ), blanked AS (
    UPDATE spent_tokens SET ${blanked} FROM gone
    WHERE spent_tokens.project_id = $1 AND spent_tokens.token_id = gone.token_id
  )
  SELECT survey_id AS "surveyId", count(*) AS rows FROM gone GROUP BY survey_id ORDER BY survey_id`;

const endLeases = `
  DELETE FROM leases WHERE project_id = $1
    AND NOT EXISTS (SELECT FROM responses WHERE responses.sequence = leases.sequence)`;

/** What is kept under the hashes of people, or of everyone, of surveys. */
const ofHashes = `project_id = $1 AND ($2::bytea[] IS NULL OR respondent_hash = ANY ($2))
  AND ($3::text[] IS NULL OR survey_id = ANY ($3))`;

// Asks of a day become one row, at its beginning. The rows that exist at that moment are among those that go.
const coarsenAsks = `
  WITH gone AS (DELETE FROM asks WHERE ${ofHashes} AND at <= $4 RETURNING *), days AS (
    SELECT project_id, respondent_hash, at - at % ${dayInMs} AS at, survey_id, sum(times) AS times
    FROM gone GROUP BY 1, 2, 3, 4
  )
  SELECT json_agg(days)::text AS days FROM days`;
// With names, so that columns of a later version get their defaults.
const addAsks = `
  INSERT INTO asks (project_id, respondent_hash, at, survey_id, times)
  SELECT project_id, respondent_hash, at, survey_id, times FROM json_populate_recordset(NULL::asks, $1::json)`;

const keepPermanently = `
  UPDATE suppression SET is_permanent = 1, answered_at = answered_at - answered_at % ${dayInMs},
    dismissed_at = dismissed_at - dismissed_at % ${dayInMs}
  WHERE ${ofHashes} AND answered_at <= $4 AND dismissed_at <= $4`;

// Submits to these surveys wait for its end, so it comes last. In one order, so that two erasures cannot lock each other out.
const lowerCount = `
  UPDATE response_counts SET responses = responses - $3 WHERE project_id = $1 AND survey_id = $2`;

/** Suppression of erased people is permanent; no time of theirs stays that is finer than a day (decision O93). */
async function keepSuppression(connection: Connection, hashes: readonly unknown[]): Promise<number> {
  const { rows } = await execute<{ days: string | null }>(connection, coarsenAsks, hashes);
  await connection.query(addAsks, [rows[0]!.days ?? "[]"]);
  return (await execute(connection, keepPermanently, hashes)).rowCount!;
}

/**
 * Erases what is kept beside the records, and returns how many facts of suppression stay. Where no person is erased, they stay
 * as they are, and the counts of runs go, which say nothing about a person.
 */
async function eraseBeside(connection: Connection, selection: EraseSelection, storedUntil: number) {
  const { projectId, respondents, surveyIds } = selection;
  const chosen = [projectId, respondents?.map(({ hash }) => hash) ?? null, surveyIds ?? null];
  const hashes = [...chosen, storedUntil];
  await execute(connection, `DELETE FROM runs WHERE ${ofHashes} AND at <= $4`, hashes);
  if (respondents) return keepSuppression(connection, hashes);
  const ofSurveys = "project_id = $1 AND ($2::text[] IS NULL OR survey_id = ANY ($2)) AND day <= $3";
  const counts = [projectId, surveyIds ?? null, storedUntil];
  await execute(connection, `DELETE FROM run_counts WHERE ${ofSurveys}`, counts);
  const kept = `SELECT count(*) AS rows FROM suppression WHERE ${ofHashes}`;
  return (await execute<{ rows: number }>(connection, kept, chosen)).rows[0]!.rows;
}

const totalOf = (gone: readonly { rows: number }[]) => gone.reduce((sum, { rows }) => sum + rows, 0);

async function eraseSelection(connection: Connection, selection: EraseSelection): Promise<EraseCounts> {
  const { projectId, respondents, surveyIds, storedUntil = Number.MAX_SAFE_INTEGER } = selection;
  const people = respondentParameters(respondents?.map(({ id }) => id));
  const deleted = async (table: "responses" | "dismissals") => {
    const records = [projectId, ...people, surveyIds ?? null, storedUntil];
    return (await execute<{ surveyId: string; rows: number }>(connection, deleteRecords(table), records))
      .rows;
  };
  const [responses, dismissals] = [await deleted("responses"), await deleted("dismissals")];
  await execute(connection, endLeases, [projectId]);
  // After them: each statement sees what was committed by then, and no moment of what it erased may stay.
  const suppressionRetained = await eraseBeside(connection, selection, storedUntil);
  for (const { surveyId, rows } of responses)
    await execute(connection, lowerCount, [projectId, surveyId, rows]);
  return {
    responsesDeleted: totalOf(responses),
    dismissalsDeleted: totalOf(dismissals),
    suppressionRetained,
  };
}

/** Suppression goes too: its hashes could not be computed any more. */
async function purge(connection: Connection, { projectId, secrets }: ProjectPurge): Promise<EraseCounts> {
  // First, as all changes of the directory.
  await connection.query("UPDATE directory SET version = version + 1");
  // Waits for submits on their way, which hold a share of this row, and lets none of the old epoch come after.
  await connection.query("SELECT id FROM projects WHERE id = $1 FOR UPDATE", [projectId]);
  const deleted = async (table: string) =>
    (await connection.query(`DELETE FROM ${table} WHERE project_id = $1`, [projectId])).rowCount!;
  const [responsesDeleted, dismissalsDeleted] = [await deleted("responses"), await deleted("dismissals")];
  for (const table of tablesBesideRecords) await deleted(table);
  const next = "UPDATE projects SET epoch = epoch + 1, secrets = $2 WHERE id = $1";
  await connection.query(next, [projectId, secrets]);
  return { responsesDeleted, dismissalsDeleted, suppressionRetained: 0 };
}

/** All of it happens or nothing: call it in a transaction. */
export const erase = (connection: Connection, erased: EraseSelection | ProjectPurge): Promise<EraseCounts> =>
  "secrets" in erased ? purge(connection, erased) : eraseSelection(connection, erased);

/** What `removeErasedText` cannot reach. */
export const erasedBytesNote =
  "Freed space in the pages of PostgreSQL's tables keeps the erased bytes until new rows take it or VACUUM FULL is " +
  "run, and its write-ahead log, replicas and backups keep them until they are recycled.";

const touched = ["responses", "dismissals", "suppression", "asks", "runs", "spent_tokens"] as const;

/**
 * Removes deleted rows from the tables. Call outside a transaction. Some bytes stay in the free space of
 * their pages until new rows overwrite them: only `VACUUM FULL` would remove them at once, and it blocks every submit.
 */
export async function removeErasedText(connection: Connection): Promise<void> {
  // Another VACUUM of the same table may be running; the next one removes what is left. A pooler would give the limit to others.
  if (!isPooled(connection)) await connection.query("SET lock_timeout = '10s'");
  for (const table of touched) await connection.query(`VACUUM ${table}`);
  if (!isPooled(connection)) await connection.query("RESET lock_timeout");
}
