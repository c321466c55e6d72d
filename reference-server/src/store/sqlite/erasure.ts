import { dayInMs, type EraseCounts, type EraseSelection, type ProjectPurge } from "../store.ts";
import { tablesBesideRecords } from "../shared-rows.ts";
import { type Connection } from "./connection.ts";
import { type Condition, selectedRows } from "./selected-rows.ts";

const day = `at - at % ${dayInMs}`;

/** Runs the statements of an erasure, which are too different to be prepared in advance. Returns how many rows changed. */
type Run = (statement: string, ...values: unknown[]) => number;

const runOn =
  (connection: Connection): Run =>
  (statement, ...values) =>
    connection.prepare(statement).run(...values).changes;

/** The ledger forgets what the token was spent on, and keeps that it was spent, and on which day. */
function blankLedger(run: Run, table: "responses" | "dismissals", { where, values }: Condition): void {
  run(
    `UPDATE spent_tokens SET record_id = NULL, at = ${day}
     WHERE project_id = ? AND token_id IN (SELECT token_id FROM ${table} WHERE ${where})`,
    values[0],
    ...values,
  );
}

function recount(run: Run, { where, values }: Condition): void {
  run(
    `UPDATE response_counts SET responses = responses - erased.number FROM (
       SELECT survey_id, count(*) AS number FROM responses WHERE ${where} GROUP BY survey_id
     ) AS erased WHERE response_counts.project_id = ? AND response_counts.survey_id = erased.survey_id`,
    ...values,
    values[0],
  );
}

/** Suppression of erased people is permanent; no time of theirs stays that is finer than a day (decision O93). */
function keepPermanently(run: Run, { where, values }: Condition, storedUntil: number): number {
  const isFiner = `${where} AND at <= ? AND at % ${dayInMs} > 0`;
  run(
    `INSERT INTO asks (project_id, respondent_hash, at, survey_id, times)
     SELECT project_id, respondent_hash, ${day}, survey_id, sum(times) FROM asks WHERE ${isFiner} GROUP BY 1, 2, 3, 4
     ON CONFLICT DO UPDATE SET times = asks.times + excluded.times`,
    ...values,
    storedUntil,
  );
  run(`DELETE FROM asks WHERE ${isFiner}`, ...values, storedUntil);
  return run(
    `UPDATE suppression SET is_permanent = 1, answered_at = answered_at - answered_at % ${dayInMs},
       dismissed_at = dismissed_at - dismissed_at % ${dayInMs}
     WHERE ${where} AND answered_at <= ? AND dismissed_at <= ?`,
    ...values,
    storedUntil,
    storedUntil,
  );
}

const endLeases = `
  DELETE FROM leases WHERE project_id = ?
    AND NOT EXISTS (SELECT 1 FROM responses WHERE responses.sequence = leases.sequence)`;

/**
 * Erases in the caller's transaction what a selection has. Where no person is erased, suppression stays as it is, and the
 * counts of runs go, which say nothing about a person.
 */
function eraseSelection(connection: Connection, selection: EraseSelection): EraseCounts {
  const { projectId, respondents, surveyIds, storedUntil = Number.MAX_SAFE_INTEGER } = selection;
  const run = runOn(connection);
  const rows = (column: string, values: readonly unknown[] | undefined) =>
    selectedRows(projectId, { [column]: values, survey_id: surveyIds });
  const ofRecords = rows(
    "respondent_id",
    respondents?.map(({ id }) => id),
  );
  // The sign keeps SQLite off the index by time, which leads through all responses.
  const records = { where: `${ofRecords.where} AND +at <= ?`, values: [...ofRecords.values, storedUntil] };
  const hashes = rows(
    "respondent_hash",
    respondents?.map(({ hash }) => hash),
  );

  blankLedger(run, "responses", records);
  blankLedger(run, "dismissals", records);
  recount(run, records);
  const responsesDeleted = run(`DELETE FROM responses WHERE ${records.where}`, ...records.values);
  run(endLeases, projectId);
  const dismissalsDeleted = run(`DELETE FROM dismissals WHERE ${records.where}`, ...records.values);
  run(`DELETE FROM runs WHERE ${hashes.where} AND at <= ?`, ...hashes.values, storedUntil);
  if (respondents) {
    const suppressionRetained = keepPermanently(run, hashes, storedUntil);
    return { responsesDeleted, dismissalsDeleted, suppressionRetained };
  }
  run(`DELETE FROM run_counts WHERE ${hashes.where} AND day <= ?`, ...hashes.values, storedUntil);
  const kept = connection.prepare<unknown[], number>(
    `SELECT count(*) FROM suppression WHERE ${hashes.where}`,
  );
  return { responsesDeleted, dismissalsDeleted, suppressionRetained: kept.pluck().get(...hashes.values)! };
}

/** Suppression goes too: its hashes could not be computed any more. */
function purgeProject(connection: Connection, { projectId, secrets }: ProjectPurge): EraseCounts {
  const run = runOn(connection);
  const deleted = (table: string) => run(`DELETE FROM ${table} WHERE project_id = ?`, projectId);
  const [responsesDeleted, dismissalsDeleted] = [deleted("responses"), deleted("dismissals")];
  for (const table of tablesBesideRecords) deleted(table);
  run("UPDATE projects SET epoch = epoch + 1, secrets = ? WHERE id = ?", secrets, projectId);
  run("UPDATE directory SET version = version + 1");
  return { responsesDeleted, dismissalsDeleted, suppressionRetained: 0 };
}

/** All of it happens or nothing: call it in a transaction. */
export function erase(connection: Connection, erased: EraseSelection | ProjectPurge): EraseCounts {
  return "secrets" in erased ? purgeProject(connection, erased) : eraseSelection(connection, erased);
}
