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
import { readQueue } from "./queue-facts.ts";
import { build, rowsOf, type Statement, type Work } from "./work.ts";

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

function tally(selection: ResultsSelection, by: TallyKey, { after, last }: TimeRange) {
  return selected(selection)
    .where("at", ">", after)
    .where("at", "<=", last)
    .select(["surveyId", "source", "rating", keys[by].as("key")])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .groupBy(["surveyId", "source", "rating", "key"]);
}

function dismissals({ projectId, surveyIds }: ResultsSelection, { after, last }: TimeRange) {
  let query = build.selectFrom("dismissals").where("projectId", "=", projectId);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  return query
    .where("at", ">", after)
    .where("at", "<=", last)
    .select(["surveyId", week.as("week")])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .groupBy(["surveyId", "week"]);
}

function comments(selection: CommentSelection) {
  return selected(selection)
    .where("text", "is not", null)
    .select(["surveyId", "rating", "text", "at", "source", "taskType"])
    .select(["sessionId", "observationId"])
    .orderBy("at", "desc")
    .orderBy("sequence", "desc")
    .limit(selection.limit);
}

type Run = <Rows>(query: Work<Rows>) => Promise<Rows>;

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
function* lastOfPart(
  table: Table,
  { projectId, until }: ResultsSelection,
  after: number,
  rows: number,
): Work<number | null> {
  let part = build.selectFrom(table).select("at").where("projectId", "=", projectId).where("at", ">", after);
  if (until !== undefined) part = part.where("at", "<", until);
  const times = part.orderBy("at").limit(rows).as("part");
  const last = build.selectFrom(times).select(({ fn }) => fn.max("at").as("last"));
  return (yield* rowsOf(last))[0]!.last;
}

interface PartialReading<Row> {
  table: Table;
  selection: ResultsSelection;
  groupsOf: (range: TimeRange) => Statement;
  /** What tells a group from the others. */
  keyOf: (row: Row) => unknown;
}

/** Adds up the groups of all parts. */
async function sumOfParts<Row extends { count: number }>(
  run: Run,
  { rows, pause }: Parts,
  { table, selection, groupsOf, keyOf }: PartialReading<Row>,
): Promise<Row[]> {
  const sums = new Map<string, Row>();
  const next = (after: number) => run(lastOfPart(table, selection, after, rows));
  const start = (selection.since ?? 0) - 1;
  let after = start;
  for (let last = await next(after); last !== null; last = await next(after)) {
    if (after > start) await pause();
    for (const row of (await run(rowsOf(groupsOf({ after, last })))) as Row[]) {
      const group = JSON.stringify(keyOf(row));
      const sum = sums.get(group);
      if (sum) sum.count += row.count;
      else sums.set(group, row);
    }
    after = last;
  }
  return [...sums.values()];
}

/** @param run runs a query, each time on the same state of the database */
export function resultsReader(run: Run, parts: Parts): ResultsReader {
  return {
    queue: (projectId, since) => run(readQueue(projectId, since)),
    tally: (selection, by) =>
      sumOfParts<Tally>(run, parts, {
        table: "responses",
        selection,
        groupsOf: (range) => tally(selection, by, range),
        keyOf: ({ surveyId, source, rating, key }) => [surveyId, source, rating, key],
      }),
    dismissals: (selection) =>
      sumOfParts<DismissalTally>(run, parts, {
        table: "dismissals",
        selection,
        groupsOf: (range) => dismissals(selection, range),
        keyOf: ({ surveyId, week: number }) => [surveyId, number],
      }),
    comments: async (selection) => (await run(rowsOf(comments(selection)))) as Comment[],
  };
}
