import { sql, type RawBuilder } from "kysely";
import {
  firstMonday,
  hourInMs,
  weekInMs,
  type Comment,
  type CommentSelection,
  type ResultsReader,
  type ResultsSelection,
  type Tally,
  type TallyKey,
} from "../results.ts";
import { readQueue } from "./queue-facts.ts";
import { build, rowsOf, type Work } from "./work.ts";

const sinceMonday = sql<number>`(at - ${sql.lit(firstMonday)})`;

const week = sql<number>`(${sinceMonday} / ${sql.lit(weekInMs)})`;

// Weeks and hours are whole numbers, which both databases divide without a remainder; weeks begin on Monday in UTC.
const keys: Record<TallyKey, RawBuilder<string | number | null>> = {
  none: sql<null>`NULL`,
  taskType: sql<string | null>`task_type`,
  surveyVersion: sql<number>`survey_version`,
  identityKind: sql<string | null>`identity_kind`,
  week,
  hourOfWeek: sql<number>`(${sinceMonday} / ${sql.lit(hourInMs)}) % 168`,
};

function selected({ projectId, surveyIds, since, until, measuredOnly }: ResultsSelection) {
  let query = build
    .selectFrom("responses")
    .where("projectId", "=", projectId)
    .where("rating", "is not", null);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  if (since !== undefined) query = query.where("at", ">=", since);
  if (until !== undefined) query = query.where("at", "<", until);
  return measuredOnly ? query.where("source", "=", "measured") : query;
}

function tally(selection: ResultsSelection, by: TallyKey) {
  return selected(selection)
    .select(["surveyId", "source", "rating", keys[by].as("key")])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .groupBy(["surveyId", "source", "rating", "key"]);
}

function dismissals({ projectId, surveyIds, since, until }: ResultsSelection) {
  let query = build.selectFrom("dismissals").where("projectId", "=", projectId);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  if (since !== undefined) query = query.where("at", ">=", since);
  if (until !== undefined) query = query.where("at", "<", until);
  return query
    .select(["surveyId", week.as("week")])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .groupBy(["surveyId", "week"]);
}

function comments(selection: CommentSelection) {
  return selected(selection)
    .where("text", "is not", null)
    .select(["surveyId", "rating", "text", "at", "source", "taskType"])
    .select(["sessionId", "observationId"])
    .orderBy("sequence", "desc")
    .limit(selection.limit);
}

/** @param run runs a query, each time on the same state of the database */
export function resultsReader(run: <Rows>(query: Work<Rows>) => Promise<Rows>): ResultsReader {
  return {
    queue: (projectId, since) => run(readQueue(projectId, since)),
    tally: async (selection, by) => (await run(rowsOf(tally(selection, by)))) as Tally[],
    dismissals: (selection) => run(rowsOf(dismissals(selection))),
    comments: async (selection) => (await run(rowsOf(comments(selection)))) as Comment[],
  };
}
