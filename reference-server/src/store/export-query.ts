import { sql, type Kysely } from "kysely";
import { type Schema } from "./schema.ts";
import { type ExportedResponse, type ExportSelection } from "./records.ts";

/** Rows that are read and handed on at once. */
export const exportPageSize = 500;

/** Either database's builder. */
type Builder = Kysely<Pick<Schema, "responses">>;

function selected(build: Builder, { projectId, respondentIds, surveyIds }: ExportSelection) {
  let query = build.selectFrom("responses").where("project_id", "=", projectId);
  if (respondentIds) query = query.where("respondent_id", "in", [...respondentIds]);
  if (surveyIds) query = query.where("survey_id", "in", [...surveyIds]);
  return query;
}

/** How many responses a selection has, as `count`. */
export function exportCount(build: Builder, selection: ExportSelection) {
  return selected(build, selection).select(({ fn }) => fn.countAll<number>().as("count"));
}

/** The next responses of a selection, in the order in which they were stored. */
export function exportPage(build: Builder, selection: ExportSelection, after: number) {
  // The sum keeps the database off the index that has this order but leads through everybody's responses.
  const order = selection.respondentIds ? sql<number>`sequence + 0` : sql<number>`sequence`;
  return selected(build, selection)
    .select(["sequence", "id", "survey_id", "survey_version", "respondent_id", "rating", "text"])
    .select(["follow_up_requested", "at", "source", "traits"])
    .where(order, ">", after)
    .orderBy(order)
    .limit(exportPageSize);
}

type Query = ReturnType<typeof exportPage>;
type Row = Awaited<ReturnType<Query["execute"]>>[number];

export function exportedResponse(row: Row): ExportedResponse {
  return {
    id: row.id,
    surveyId: row.survey_id,
    surveyVersion: row.survey_version,
    respondentId: row.respondent_id ?? undefined,
    rating: row.rating,
    text: row.text,
    followUpRequested: row.follow_up_requested === null ? undefined : row.follow_up_requested === 1,
    at: row.at,
    source: row.source as ExportedResponse["source"],
    traits: row.traits,
  };
}
