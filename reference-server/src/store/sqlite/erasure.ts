import { sql } from "kysely";
import { asksToCoarsen, purgeProject, recordsToErase } from "../queries/erasure.ts";
import { build, changedBy, rowsOf, type Work } from "../queries/work.ts";
import { type EraseCounts, type EraseSelection, type ProjectPurge } from "../store.ts";
import { dialect } from "./dialect.ts";

const dayInMs = 24 * 60 * 60_000;

type Records = "responses" | "dismissals";

/** The ledger forgets what the token was spent on, and keeps that it was spent (decision D10). */
function* blankLedger(table: Records, selection: EraseSelection): Work<void> {
  const tokens = build.selectFrom(table).select("token_id").where(recordsToErase(selection, dialect));
  const ledger = build.updateTable("spent_tokens").set({ record_id: null, at: null });
  yield ledger.where("project_id", "=", selection.projectId).where("token_id", "in", tokens);
}

function* recount(selection: EraseSelection): Work<void> {
  const counts = build
    .selectFrom("responses")
    .select(({ fn }) => ["survey_id", fn.countAll<number>().as("erased")])
    .where(recordsToErase(selection, dialect))
    .groupBy("survey_id");
  for (const { survey_id, erased } of yield* rowsOf(counts)) {
    yield dialect.addToCount(selection.projectId, survey_id, -erased);
  }
}

/**
 * What stays of suppression: one row per respondent and survey, no finer in time than a day. Two statements whatever
 * the number of people: the row that stays is added, or gets the sum where it was there, and then all others go.
 */
function* coarsenAsks(selection: EraseSelection): Work<number> {
  const chosen = asksToCoarsen(selection);
  const kept = sql`
    INSERT INTO asks (project_id, respondent_hash, survey_id, at, times)
    SELECT project_id, respondent_hash, survey_id, max(at) - max(at) % ${sql.lit(dayInMs)}, sum(times)
    FROM asks WHERE ${chosen} GROUP BY project_id, respondent_hash, survey_id
    ON CONFLICT DO UPDATE SET times = excluded.times`;
  const retained = yield* changedBy(kept);
  // While rows go the latest may be another one, and its day is still the day of the row that stays.
  yield sql`
    DELETE FROM asks WHERE ${chosen} AND at <> (
      SELECT max(latest.at) - max(latest.at) % ${sql.lit(dayInMs)} FROM asks AS latest
      WHERE latest.project_id = asks.project_id AND latest.respondent_hash = asks.respondent_hash
        AND latest.survey_id = asks.survey_id)`;
  return retained;
}

/** All of it happens or nothing. */
export function* erase(selection: EraseSelection): Work<EraseCounts> {
  yield* blankLedger("responses", selection);
  yield* blankLedger("dismissals", selection);
  yield* recount(selection);
  const deleted = (table: Records) =>
    changedBy(build.deleteFrom(table).where(recordsToErase(selection, dialect)));
  return {
    responsesDeleted: yield* deleted("responses"),
    dismissalsDeleted: yield* deleted("dismissals"),
    suppressionRetained: yield* coarsenAsks(selection),
  };
}

export type Erasure = { selection: EraseSelection } | { purge: ProjectPurge };

export function erasureWork(erasure: Erasure): Work<EraseCounts> {
  return "selection" in erasure ? erase(erasure.selection) : purgeProject(erasure.purge);
}
