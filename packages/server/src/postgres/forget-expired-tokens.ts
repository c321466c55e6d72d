import { sql, type RawBuilder } from "kysely";
import { type ExpiredTokens } from "@afterword/reference-server/internal";
import { type Queries } from "@afterword/results/store";
import { type SqlDialect } from "../store/sql-dialect.ts";

/** Project by project, along the primary key; nodes that do it at once take different rows. Returns how many were forgotten. */
export async function forgetExpiredTokens(
  queries: Queries,
  { idsBefore, runsUsedBefore }: ExpiredTokens,
  limit: number,
  { skippingLocked = sql``, firstRunToken }: SqlDialect,
): Promise<number> {
  let forgotten = 0;
  const forget = async (isExpired: RawBuilder<unknown>) => {
    const gone = await sql`
      WITH expired AS MATERIALIZED (
        SELECT project_id, token_id FROM spent_tokens
        WHERE ${isExpired} LIMIT ${limit - forgotten} ${skippingLocked}
      )
      DELETE FROM spent_tokens WHERE (project_id, token_id) IN (SELECT project_id, token_id FROM expired)`.execute(
      queries,
    );
    forgotten += Number(gone.numAffectedRows);
  };
  for (const { id } of await queries.selectFrom("projects").select("id").execute())
    if (forgotten < limit) await forget(sql`project_id = ${id} AND token_id < ${idsBefore}`);
  // The first condition is that of the index `spent_run_tokens`, which planners recognise by its words.
  await forget(sql`token_id >= ${firstRunToken} AND at < ${runsUsedBefore} ORDER BY at`);
  return forgotten;
}
