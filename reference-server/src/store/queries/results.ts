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

/** Responses after one and up to another, in the order of their arrival. */
interface SequenceRange {
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

function tally(selection: ResultsSelection, by: TallyKey, part?: SequenceRange) {
  let query = selected(selection);
  if (part) query = query.where("sequence", ">", part.after).where("sequence", "<=", part.last);
  return query
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

type Run = <Rows>(query: Work<Rows>) => Promise<Rows>;

/** Splits a long reading, so that requests get the database's processor in between. */
export interface Parts {
  /** How many responses a part has. */
  rows: number;
  /** Runs between two parts. */
  pause(): Promise<void>;
}

/** The sequence of the last response of the part that follows; null if there is none. */
function* lastOfPart(projectId: string, after: number, rows: number): Work<number | null> {
  const part = build
    .selectFrom("responses")
    .select("sequence")
    .where("projectId", "=", projectId)
    .where("sequence", ">", after)
    .orderBy("sequence")
    .limit(rows);
  const last = build.selectFrom(part.as("part")).select(({ fn }) => fn.max("sequence").as("last"));
  return (yield* rowsOf(last))[0]!.last;
}

const readTally = async (run: Run, ...selection: Parameters<typeof tally>): Promise<Tally[]> =>
  (await run(rowsOf(tally(...selection)))) as Tally[];

async function tallyInParts(
  run: Run,
  { rows, pause }: Parts,
  selection: ResultsSelection,
  by: TallyKey,
): Promise<Tally[]> {
  const sums = new Map<string, Tally>();
  const next = (after: number) => run(lastOfPart(selection.projectId, after, rows));
  let after = 0;
  for (let last = await next(after); last !== null; last = await next(after)) {
    if (after > 0) await pause();
    for (const row of await readTally(run, selection, by, { after, last })) {
      const group = JSON.stringify([row.surveyId, row.source, row.rating, row.key]);
      const sum = sums.get(group);
      if (sum) sum.count += row.count;
      else sums.set(group, row);
    }
    after = last;
  }
  return [...sums.values()];
}

/**
 * @param run runs a query, each time on the same state of the database
 * @param parts default: a tally is one statement
 */
export function resultsReader(run: Run, parts?: Parts): ResultsReader {
  return {
    queue: (projectId, since) => run(readQueue(projectId, since)),
    tally: (selection, by) =>
      parts ? tallyInParts(run, parts, selection, by) : readTally(run, selection, by),
    dismissals: (selection) => run(rowsOf(dismissals(selection))),
    comments: async (selection) => (await run(rowsOf(comments(selection)))) as Comment[],
  };
}
