import { eraseSuppression, purgeProject, recordsToErase } from "../queries/erasure.ts";
import { blanked } from "../queries/blanked.ts";
import { build, changedBy, rowsOf, type Work } from "../queries/work.ts";
import { type EraseCounts, type EraseSelection, type ProjectPurge } from "../store.ts";
import { dialect } from "./dialect.ts";

type Records = "responses" | "dismissals";

/** The ledger forgets what the token was spent on, and keeps that it was spent (decision D10). */
function* blankLedger(table: Records, selection: EraseSelection): Work<void> {
  const tokens = build.selectFrom(table).select("tokenId").where(recordsToErase(selection, dialect));
  const ledger = build.updateTable("spentTokens").set(blanked);
  yield ledger.where("projectId", "=", selection.projectId).where("tokenId", "in", tokens);
}

function* recount(selection: EraseSelection): Work<void> {
  const counts = build
    .selectFrom("responses")
    .select(({ fn }) => ["surveyId", fn.countAll<number>().as("erased")])
    .where(recordsToErase(selection, dialect))
    .groupBy("surveyId");
  for (const { surveyId, erased } of yield* rowsOf(counts)) {
    yield dialect.addToCount(selection.projectId, surveyId, -erased);
  }
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
    suppressionRetained: yield* eraseSuppression(selection),
  };
}

export type Erasure = { selection: EraseSelection } | { purge: ProjectPurge };

export function erasureWork(erasure: Erasure): Work<EraseCounts> {
  return "selection" in erasure ? erase(erasure.selection) : purgeProject(erasure.purge);
}
