import { sql } from "kysely";
import { type Queries } from "../queries/query-runner.ts";
import { type ExpiredTokens } from "../store.ts";

/** Project by project, along the primary key. Returns how many were forgotten. */
export async function forgetExpiredTokens(
  queries: Queries,
  { idsBefore, runsUsedBefore }: ExpiredTokens,
  limit: number,
): Promise<number> {
  const expired = await sql`
    DELETE FROM spent_tokens WHERE (project_id, token_id) IN (
      SELECT project_id, token_id FROM spent_tokens
      WHERE project_id IN (SELECT id FROM projects) AND token_id < ${idsBefore} LIMIT ${limit}
    )`.execute(queries);
  const forgotten = Number(expired.numAffectedRows);
  // The first condition is that of the index `spent_run_tokens`, which the planner recognises by its words.
  const runs = await sql`
    DELETE FROM spent_tokens WHERE (project_id, token_id) IN (
      SELECT project_id, token_id FROM spent_tokens
      WHERE token_id >= X'ffff' AND at < ${runsUsedBefore} ORDER BY at LIMIT ${limit - forgotten}
    )`.execute(queries);
  return forgotten + Number(runs.numAffectedRows);
}
