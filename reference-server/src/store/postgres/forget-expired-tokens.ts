import { sql, type RawBuilder } from "kysely";
import { type Queries } from "../queries/query-runner.ts";
import { type ExpiredTokens } from "../store.ts";

const forget = (expired: RawBuilder<unknown>) => sql`
  WITH expired AS MATERIALIZED (${expired})
  DELETE FROM spent_tokens USING expired
  WHERE spent_tokens.project_id = expired.project_id AND spent_tokens.token_id = expired.token_id`;

/** Project by project, along the primary key; nodes that do it at once take different rows. Returns how many were forgotten. */
export async function forgetExpiredTokens(
  queries: Queries,
  { idsBefore, runsUsedBefore }: ExpiredTokens,
  limit: number,
): Promise<number> {
  const expired = sql`
    SELECT spent.project_id, spent.token_id
    FROM projects CROSS JOIN LATERAL (
      SELECT project_id, token_id FROM spent_tokens WHERE project_id = projects.id AND token_id < ${idsBefore}
      LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) AS spent
    LIMIT ${limit}`;
  const forgotten = Number((await forget(expired).execute(queries)).numAffectedRows);
  // The first condition is that of the index `spent_run_tokens`.
  const runs = sql`
    SELECT project_id, token_id FROM spent_tokens WHERE token_id >= '\\xffff' AND at < ${runsUsedBefore} ORDER BY at
    LIMIT ${limit - forgotten} FOR UPDATE SKIP LOCKED`;
  return forgotten + Number((await forget(runs).execute(queries)).numAffectedRows);
}
