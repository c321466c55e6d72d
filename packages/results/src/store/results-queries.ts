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
  type QueueReport,
  type ResultsReader,
  type ResultsSelection,
  type RunCountTally,
} from "./results-reader.ts";
import { dayOf } from "@afterword/reference-server/internal";
import { type Queries, type QueryRunner } from "./schema.ts";

/** Later than any stored time. */
const never = Number.MAX_SAFE_INTEGER;

function selected(
  queries: Queries,
  { projectId, surveyIds, since = 0, until = never, measuredOnly }: ResultsSelection,
) {
  let query = queries
    .selectFrom("responses")
    .where("projectId", "=", projectId)
    .where("at", ">=", since)
    .where("at", "<", until)
    .where("rating", "is not", null);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
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
  { projectId, surveyIds, since = 0, until = never }: ResultsSelection,
): Promise<DismissalTally[]> {
  const all = queries.selectFrom("dismissals").where("projectId", "=", projectId);
  let query = all.where("at", ">=", since).where("at", "<", until);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
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
    .select(["sessionId", "observationId", columns.version.$castTo<string | null>().as("version")])
    .select(place.as("place"));
  return queries
    .selectFrom(ranked.as("ranked"))
    .where("place", "<=", selection.limit)
    .selectAll()
    .orderBy("rating")
    .orderBy("at", "desc")
    .orderBy("sequence", "desc")
    .$narrowType<{ rating: number; text: string }>()
    .execute();
}

async function runCounts(
  queries: Queries,
  { projectId, surveyIds, since = 0, until = never }: ResultsSelection,
): Promise<RunCountTally[]> {
  const all = queries.selectFrom("runCounts").where("projectId", "=", projectId);
  let query = all.where("day", ">=", dayOf(since)).where("day", "<", until);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
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

/** Depth is counted up to this; a longer queue is reported as this long. */
export const countedQueueDepth = 100_000;

const mostReasons = 10;

/** How the queue of one project stands, for people. */
export async function readQueue(queries: Queries, projectId: string, since: number): Promise<QueueReport> {
  const inState = (state: "pending" | "failed") =>
    queries
      .selectFrom("responses")
      .where("projectId", "=", projectId)
      .where("scoreState", "=", sql.lit(state));
  const failed = inState("failed").select("failure as reason").limit(countedQueueDepth).as("failed");
  const reasons = queries.selectFrom(failed).select("reason").groupBy("reason");
  const failures = await reasons
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .orderBy("count", "desc")
    .orderBy(sql`reason IS NULL`)
    .orderBy("reason")
    .execute();
  const pending = inState("pending").select("sequence").limit(countedQueueDepth).as("pending");
  const depth = queries.selectFrom(pending).select(({ fn }) => fn.countAll<number>().as("waiting"));
  const oldest = await inState("pending").select("at").orderBy("sequence").limit(1).executeTakeFirst();
  const hours = queries.selectFrom("deliveries").select(["hour", "delivered"]);
  return {
    waiting: (await depth.executeTakeFirstOrThrow()).waiting,
    oldestAt: oldest?.at,
    failed: failures.reduce((total, { count }) => total + count, 0),
    failures: failures.slice(0, mostReasons),
    deliveries: await hours
      .where("projectId", "=", projectId)
      .where("hour", ">=", since)
      .orderBy("hour")
      .execute(),
  };
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
