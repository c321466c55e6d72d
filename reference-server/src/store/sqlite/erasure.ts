import { eraseBeside, purgeProject, recordsToErase } from "../queries/erasure.ts";
import { addToCounts } from "../queries/add-to-counts.ts";
import { blanked } from "../queries/blanked.ts";
import { type Queries } from "../queries/query-runner.ts";
import { type EraseCounts, type EraseSelection, type ProjectPurge } from "../store.ts";
import { dialect } from "./dialect.ts";

type Records = "responses" | "dismissals";

/** The ledger forgets what the token was spent on, and keeps that it was spent. */
async function blankLedger(queries: Queries, table: Records, selection: EraseSelection): Promise<void> {
  const tokens = queries.selectFrom(table).select("tokenId").where(recordsToErase(selection, dialect));
  const ledger = queries.updateTable("spentTokens").set(blanked);
  await ledger.where("projectId", "=", selection.projectId).where("tokenId", "in", tokens).execute();
}

async function recount(queries: Queries, selection: EraseSelection): Promise<void> {
  const counts = queries
    .selectFrom("responses")
    .select(({ fn }) => ["surveyId", fn.countAll<number>().as("erased")])
    .where(recordsToErase(selection, dialect))
    .groupBy("surveyId");
  const rows = await counts.execute();
  const erased = new Map(rows.map((row) => [row.surveyId, -row.erased]));
  await addToCounts(queries, selection.projectId, erased);
}

/** All of it happens or nothing. */
export async function erase(queries: Queries, selection: EraseSelection): Promise<EraseCounts> {
  await blankLedger(queries, "responses", selection);
  await blankLedger(queries, "dismissals", selection);
  await recount(queries, selection);
  const deleted = async (table: Records) => {
    const records = queries.deleteFrom(table).where(recordsToErase(selection, dialect));
    return Number((await records.executeTakeFirst()).numDeletedRows);
  };
  return {
    responsesDeleted: await deleted("responses"),
    dismissalsDeleted: await deleted("dismissals"),
    suppressionRetained: await eraseBeside(queries, selection),
  };
}

export type Erasure = { selection: EraseSelection } | { purge: ProjectPurge };

export function runErasure(queries: Queries, erasure: Erasure): Promise<EraseCounts> {
  return "selection" in erasure ? erase(queries, erasure.selection) : purgeProject(queries, erasure.purge);
}
