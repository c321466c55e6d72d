import { sql, type CompiledQuery, type RawBuilder } from "kysely";
import {
  importedMark,
  runMark,
  type AnswerRow,
  type Comment,
  type CommentSelection,
  type Dimension,
  type DismissalTally,
  type Key,
  type ResultsReader,
  type ResultsSelection,
  type RunCountTally,
} from "./results-reader.ts";
import { dayOf, type Queries, type QueryRunner } from "@afterword/reference-server/internal";
import { readQueue } from "./queue-report.ts";

function selected(queries: Queries, { projectId, surveyIds, since, until, measuredOnly }: ResultsSelection) {
  let query = queries
    .selectFrom("responses")
    .where("projectId", "=", projectId)
    .where("rating", "is not", null);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  if (since !== undefined) query = query.where("at", ">=", since);
  if (until !== undefined) query = query.where("at", "<", until);
  return measuredOnly ? query.where("source", "=", "measured") : query;
}

const columns: Record<Extract<Dimension, string>, RawBuilder<Key>> = {
  taskType: sql`task_type`,
  surveyVersion: sql`survey_version`,
  identityKind: sql`identity_kind`,
  version: sql`run ->> 'version'`,
  stratum: sql`run ->> 'stratum'`,
};

const columnOf = (dimension: Dimension): RawBuilder<Key> =>
  typeof dimension === "string"
    ? columns[dimension]
    : sql`CAST(run -> 'facts' -> CAST(${dimension.fact} AS text) AS text)`;

const mark = sql<number>`rating
  + CASE source WHEN 'imported' THEN ${sql.lit(importedMark)} ELSE 0 END
  + CASE WHEN source = 'measured' AND session_id IS NOT NULL THEN ${sql.lit(runMark)} ELSE 0 END`;

function answers(
  queries: Queries,
  selection: ResultsSelection,
  dimensions: readonly Dimension[],
): CompiledQuery {
  return selected(queries, selection)
    .select(["respondentId", mark.as("mark"), "at", "surveyId"])
    .select(dimensions.map((dimension, index) => columnOf(dimension).as(`dimension${index}`)))
    .compile();
}

/** Whole numbers, which both databases divide without a remainder. */
const quarter = sql<number>`(at - at % 900000)`;

async function dismissals(
  queries: Queries,
  { projectId, surveyIds, since, until }: ResultsSelection,
): Promise<DismissalTally[]> {
  let query = queries.selectFrom("dismissals").where("projectId", "=", projectId);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  if (since !== undefined) query = query.where("at", ">=", since);
  if (until !== undefined) query = query.where("at", "<", until);
  const rows = await query
    .select(["surveyId", quarter.as("quarter")])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .groupBy(["surveyId", "quarter"])
    .execute();
  return rows.map(({ quarter: at, ...row }) => ({ ...row, at }));
}

function comments(queries: Queries, selection: CommentSelection): Promise<Comment[]> {
  const place = sql<number>`row_number() OVER (PARTITION BY survey_id ORDER BY at DESC, sequence DESC)`;
  const ranked = selected(queries, selection)
    .where("text", "is not", null)
    .select(["surveyId", "rating", "text", "at", "sequence", "source", "taskType"])
    .select([
      "sessionId",
      "observationId",
      columns.version.$castTo<string | null>().as("version"),
      place.as("place"),
    ]);
  return queries
    .selectFrom(ranked.as("ranked"))
    .where("place", "<=", selection.limit)
    .select(["surveyId", "rating", "text", "at", "source", "taskType"])
    .select(["sessionId", "observationId", "version"])
    .orderBy("rating")
    .orderBy("at", "desc")
    .orderBy("sequence", "desc")
    .$narrowType<{ rating: number; text: string }>()
    .execute();
}

async function runCounts(
  queries: Queries,
  { projectId, surveyIds, since, until }: ResultsSelection,
): Promise<RunCountTally[]> {
  let query = queries.selectFrom("runCounts").where("projectId", "=", projectId);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  if (since !== undefined) query = query.where("day", ">=", dayOf(since));
  if (until !== undefined) query = query.where("day", "<", until);
  const rows = await query
    .select(["surveyId", "version", "stratum", "kind", "reason"])
    // PostgreSQL adds up whole numbers to decimals, which its driver returns as texts.
    .select(sql<number>`CAST(sum(count) AS bigint)`.as("count"))
    .groupBy(["surveyId", "version", "stratum", "kind", "reason"])
    .execute();
  return rows.map(({ version, stratum, reason, ...row }) => ({
    ...row,
    version: version || null,
    stratum: stratum || null,
    reason: reason || null,
  }));
}

const latest = 1000;

async function factNames(queries: Queries, selection: ResultsSelection): Promise<string[]> {
  const rows = await selected(queries, selection)
    .where("run", "is not", null)
    .select("run")
    .orderBy("at", "desc")
    .limit(latest)
    .execute();
  const facts = rows.map(({ run }) => (JSON.parse(run!) as { facts?: object }).facts ?? {});
  return [...new Set(facts.flatMap(Object.keys))].sort();
}

/** Runs a query and hands on its rows in parts, each row as a list. */
export type RowsOf = (query: CompiledQuery) => AsyncIterable<readonly unknown[][]>;

/**
 * @param read runs queries, each time on the same state of the database
 * @param rowsOf the same for many rows
 */
export function resultsReader(read: QueryRunner["read"], rowsOf: RowsOf): ResultsReader {
  return {
    queue: (projectId, since) => read((queries) => readQueue(queries, projectId, since)),
    async *answers(selection, dimensions) {
      const query = await read(async (queries) => answers(queries, selection, dimensions));
      yield* rowsOf(query) as AsyncIterable<readonly AnswerRow[]>;
    },
    factNames: (selection) => read((queries) => factNames(queries, selection)),
    dismissals: (selection) => read((queries) => dismissals(queries, selection)),
    runCounts: (selection) => read((queries) => runCounts(queries, selection)),
    comments: (selection) => read((queries) => comments(queries, selection)),
  };
}
