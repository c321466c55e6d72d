import { sql, type RawBuilder } from "kysely";
import {
  firstMonday,
  hourInMs,
  weekInMs,
  type Comment,
  type CommentSelection,
  type DismissalTally,
  type ResultsReader,
  type ResultsSelection,
  type Tally,
  type TallyKey,
} from "../results.ts";
import { type Queries, type QueryRunner } from "./query-runner.ts";
import { readQueue } from "./queue-facts.ts";

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

/** Records after one moment and up to another, in milliseconds since 1970. */
interface TimeRange {
  after: number;
  last: number;
}

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

function tally(
  queries: Queries,
  selection: ResultsSelection,
  by: TallyKey,
  { after, last }: TimeRange,
): Promise<Tally[]> {
  return selected(queries, selection)
    .where("at", ">", after)
    .where("at", "<=", last)
    .select(["surveyId", "source", "rating", keys[by].as("key")])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .groupBy(["surveyId", "source", "rating", "key"])
    .$narrowType<{ rating: number }>()
    .execute();
}

function dismissals(
  queries: Queries,
  { projectId, surveyIds }: ResultsSelection,
  { after, last }: TimeRange,
): Promise<DismissalTally[]> {
  let query = queries.selectFrom("dismissals").where("projectId", "=", projectId);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  return query
    .where("at", ">", after)
    .where("at", "<=", last)
    .select(["surveyId", week.as("week")])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .groupBy(["surveyId", "week"])
    .execute();
}

function comments(queries: Queries, selection: CommentSelection): Promise<Comment[]> {
  return selected(queries, selection)
    .where("text", "is not", null)
    .select(["surveyId", "rating", "text", "at", "source", "taskType"])
    .select(["sessionId", "observationId"])
    .orderBy("at", "desc")
    .orderBy("sequence", "desc")
    .limit(selection.limit)
    .$narrowType<{ rating: number; text: string }>()
    .execute();
}

type Read = QueryRunner["read"];

/**
 * Splits a long reading by time, along an index: a database that groups all rows at once keeps them in memory, and requests
 * get its processor in between.
 */
export interface Parts {
  /** How many records a part has; more where more are of the same millisecond. */
  rows: number;
  /** Runs between two parts. */
  pause(): Promise<void>;
}

type Table = "responses" | "dismissals";

/** The time of the last record of the part that follows; null if there is none. */
async function lastOfPart(
  queries: Queries,
  table: Table,
  { projectId, until }: ResultsSelection,
  after: number,
  rows: number,
): Promise<number | null> {
  let part = queries
    .selectFrom(table)
    .select("at")
    .where("projectId", "=", projectId)
    .where("at", ">", after);
  if (until !== undefined) part = part.where("at", "<", until);
  const times = part.orderBy("at").limit(rows).as("part");
  const last = queries.selectFrom(times).select(({ fn }) => fn.max("at").as("last"));
  return (await last.executeTakeFirstOrThrow()).last;
}

interface PartialReading<Row> {
  table: Table;
  selection: ResultsSelection;
  groupsOf: (queries: Queries, range: TimeRange) => Promise<Row[]>;
  /** What tells a group from the others. */
  keyOf: (row: Row) => unknown;
}

/** Adds up the groups of all parts. */
async function sumOfParts<Row extends { count: number }>(
  read: Read,
  { rows, pause }: Parts,
  { table, selection, groupsOf, keyOf }: PartialReading<Row>,
): Promise<Row[]> {
  const sums = new Map<string, Row>();
  const next = (after: number) => read((queries) => lastOfPart(queries, table, selection, after, rows));
  const start = (selection.since ?? 0) - 1;
  let after = start;
  for (let last = await next(after); last !== null; last = await next(after)) {
    if (after > start) await pause();
    const range: TimeRange = { after, last };
    for (const row of await read((queries) => groupsOf(queries, range))) {
      const group = JSON.stringify(keyOf(row));
      const sum = sums.get(group);
      if (sum) sum.count += row.count;
      else sums.set(group, row);
    }
    after = last;
  }
  return [...sums.values()];
}

/** @param read runs queries, each time on the same state of the database */
export function resultsReader(read: Read, parts: Parts): ResultsReader {
  return {
    queue: (projectId, since) => read((queries) => readQueue(queries, projectId, since)),
    tally: (selection, by) =>
      sumOfParts<Tally>(read, parts, {
        table: "responses",
        selection,
        groupsOf: (queries, range) => tally(queries, selection, by, range),
        keyOf: ({ surveyId, source, rating, key }) => [surveyId, source, rating, key],
      }),
    dismissals: (selection) =>
      sumOfParts<DismissalTally>(read, parts, {
        table: "dismissals",
        selection,
        groupsOf: (queries, range) => dismissals(queries, selection, range),
        keyOf: ({ surveyId, week: number }) => [surveyId, number],
      }),
    comments: (selection) => read((queries) => comments(queries, selection)),
  };
}
