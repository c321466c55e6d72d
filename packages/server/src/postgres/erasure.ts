import { sql } from "kysely";
import { addToCounts } from "../store/add-to-counts.ts";
import { lockDirectory } from "../store/agreements.ts";
import { blanked } from "../store/blanked.ts";
import { eraseBeside, purgeProject, recordsToErase } from "./erased-rows.ts";
import {
  type EraseCounts,
  type EraseSelection,
  type ProjectPurge,
} from "@afterword/reference-server/internal";
import { type Queries } from "@afterword/results/store";
import { dialect } from "./dialect.ts";
import { isPooled, type Connection } from "./connection.ts";

/** The ledger forgets what the tokens were spent on, and keeps that they were spent. */
const blankLedger = (projectId: string) => sql`
  UPDATE spent_tokens SET record_id = NULL, at = ${blanked.at} FROM gone
  WHERE spent_tokens.project_id = ${projectId} AND spent_tokens.token_id = gone.token_id`;

async function deleteRecords(queries: Queries, table: "responses" | "dismissals", selection: EraseSelection) {
  const gone = await sql<{ surveyId: string; rows: number }>`
    WITH gone AS (
      DELETE FROM ${sql.table(table)} WHERE ${recordsToErase(selection, dialect)} RETURNING survey_id, token_id
    ), blanked AS (${blankLedger(selection.projectId)})
    SELECT survey_id, count(*) AS rows FROM gone GROUP BY survey_id ORDER BY survey_id`.execute(queries);
  return gone.rows;
}

const totalOf = (gone: readonly { rows: number }[]) => gone.reduce((sum, { rows }) => sum + rows, 0);

/** All of it happens or nothing. */
export async function erase(queries: Queries, selection: EraseSelection): Promise<EraseCounts> {
  const responses = await deleteRecords(queries, "responses", selection);
  const dismissals = await deleteRecords(queries, "dismissals", selection);
  // After them: each statement sees what was committed by then, and no moment of what it erased may stay.
  const suppressionRetained = await eraseBeside(queries, selection);
  const erased = new Map(responses.map(({ surveyId, rows }) => [surveyId, -rows]));
  await addToCounts(queries, selection.projectId, erased);
  return {
    responsesDeleted: totalOf(responses),
    dismissalsDeleted: totalOf(dismissals),
    suppressionRetained,
  };
}

export async function purge(queries: Queries, project: ProjectPurge): Promise<EraseCounts> {
  // In this order, as all changes of the directory.
  await lockDirectory(queries);
  // Waits for submits on their way, which hold a share of this row, and lets none of the old epoch come after.
  await queries.selectFrom("projects").select("id").where("id", "=", project.projectId).forUpdate().execute();
  return purgeProject(queries, project);
}

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
