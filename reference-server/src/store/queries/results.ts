import { sql } from "kysely";
import {
  firstMonday,
  hourInMs,
  weekInMs,
  type Comment,
  type CommentSelection,
  type DismissalTally,
  type HourTally,
  type ClassResidual,
  type RatingValues,
  type ResultsReader,
  type ResultsSelection,
  type SharedTally,
  type Sides,
  type Tally,
  type TallyKey,
} from "../results.ts";
import {
  byPerson,
  column,
  ratings,
  runStratum,
  runVersion,
  selected,
  sum,
  type Key,
} from "./answers-by-person.ts";
import { classes, factNames, sharedWithBaseline } from "./run-classes.ts";
import { type Queries, type QueryRunner } from "./query-runner.ts";
import { readQueue } from "./queue-facts.ts";
import { runCounts } from "./run-counts.ts";

const sinceMonday = sql<number>`(at - ${sql.lit(firstMonday)})`;

const week = sql<number>`(${sinceMonday} / ${sql.lit(weekInMs)})`;

// Weeks and hours are whole numbers, which both databases divide without a remainder; weeks begin on Monday in UTC.
const keys: Record<Extract<TallyKey, string>, Key> = {
  none: sql<null>`NULL`,
  version: runVersion,
  stratum: runStratum,
  taskType: sql<string | null>`task_type`,
  surveyVersion: sql<number>`survey_version`,
  identityKind: sql<string | null>`identity_kind`,
  week,
};

function keyOf(by: TallyKey | Sides): Key {
  if (typeof by === "string") return keys[by];
  if ("fact" in by) return sql<string | null>`CAST(run -> 'facts' -> CAST(${by.fact} AS text) AS text)`;
  if ("since" in by) return sql<number>`CASE WHEN at < ${sql.lit(by.since)} THEN 0 ELSE 1 END`;
  return sql<number>`CASE task_type WHEN ${by.from} THEN 0 WHEN ${by.to} THEN 1 END`;
}

async function tally(
  queries: Queries,
  selection: ResultsSelection,
  by: TallyKey | Sides,
  values: RatingValues,
  residuals?: readonly ClassResidual[],
): Promise<Tally[]> {
  const rows = await queries
    .selectFrom(byPerson(queries, selection, keyOf(by), values, residuals).as("person"))
    .select(["surveyId", "key", sum(sql`imported`).as("imported")])
    .select(sql<number>`count(*) FILTER (WHERE respondent_id IS NULL)`.as("withoutPerson"))
    .select(({ fn }) => [
      fn.countAll<number>().as("people"),
      fn.count<number>("residual").as("linearisedPeople"),
    ])
    .select(({ fn }) => [fn.min("firstAt").as("firstAt"), fn.max("lastAt").as("lastAt")])
    .select(sql<number>`coalesce(sum(residual * residual), 0)`.as("squares"))
    .select([
      sum(sql`weight * weight`).as("squaredWeights"),
      sum(sql`weight * value`).as("weightsTimesValues"),
      sum(sql`value * value`).as("squaredValues"),
    ])
    .select(ratings.map((rating) => sum(column(rating)).as(`count${rating}`)))
    .groupBy(["surveyId", "key"])
    .execute();
  return rows.map(({ surveyId, key, imported, withoutPerson, firstAt, lastAt, ...row }) => {
    const { people, squaredWeights, weightsTimesValues, squaredValues } = row;
    return {
      surveyId,
      key,
      counts: ratings.map((rating) => row[`count${rating}`]!),
      imported,
      withoutPerson,
      people: { people, squaredWeights, weightsTimesValues, squaredValues },
      linearised: { people: row.linearisedPeople, squares: row.squares },
      firstAt,
      lastAt,
    };
  });
}

/** Sums over the known people who have answers with either key. */
function shared(
  queries: Queries,
  selection: ResultsSelection,
  sides: Sides,
  values: RatingValues,
): Promise<SharedTally[]> {
  const of = (name: string, side: number) =>
    sql<number>`sum(${sql.ref(name)}) FILTER (WHERE key = ${sql.lit(side)})`;
  const people = queries
    .selectFrom(byPerson(queries, selection, keyOf(sides), values).as("person"))
    .where("respondentId", "is not", null)
    .where("key", "is not", null)
    .select(["surveyId", of("weight", 0).as("weight0"), of("weight", 1).as("weight1")])
    .select([of("value", 0).as("value0"), of("value", 1).as("value1")])
    .groupBy(["surveyId", "respondentId"])
    .having(sql<number>`count(*)`, "=", 2);
  return queries
    .selectFrom(people.as("people"))
    .select("surveyId")
    .select(({ fn }) => fn.countAll<number>().as("people"))
    .select([
      sum(sql`weight0 * weight1`).as("weights"),
      sum(sql`weight0 * value1`).as("weightTimesValue"),
      sum(sql`value0 * weight1`).as("valueTimesWeight"),
      sum(sql`value0 * value1`).as("values"),
    ])
    .groupBy("surveyId")
    .execute();
}

function hours(queries: Queries, selection: ResultsSelection): Promise<HourTally[]> {
  const hour = sql<number>`(${sinceMonday} / ${sql.lit(hourInMs)}) % 168`;
  return selected(queries, selection)
    .select(["surveyId", hour.as("hour")])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .groupBy(["surveyId", "hour"])
    .execute();
}

function dismissals(
  queries: Queries,
  { projectId, surveyIds, since, until }: ResultsSelection,
): Promise<DismissalTally[]> {
  let query = queries.selectFrom("dismissals").where("projectId", "=", projectId);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  if (since !== undefined) query = query.where("at", ">=", since);
  if (until !== undefined) query = query.where("at", "<", until);
  return query
    .select(["surveyId", week.as("week")])
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .groupBy(["surveyId", "week"])
    .execute();
}

function comments(queries: Queries, selection: CommentSelection): Promise<Comment[]> {
  const place = sql<number>`row_number() OVER (PARTITION BY survey_id ORDER BY at DESC, sequence DESC)`;
  const ranked = selected(queries, selection)
    .where("text", "is not", null)
    .select(["surveyId", "rating", "text", "at", "sequence", "source", "taskType"])
    .select(["sessionId", "observationId", runVersion.as("version"), place.as("place")]);
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

/** @param read runs queries, each time on the same state of the database */
export function resultsReader(read: QueryRunner["read"]): ResultsReader {
  return {
    queue: (projectId, since) => read((queries) => readQueue(queries, projectId, since)),
    tally: (selection, by, values, residuals) =>
      read((queries) => tally(queries, selection, by, values, residuals)),
    classes: (selection) => read((queries) => classes(queries, selection)),
    sharedWithBaseline: (selection, baseline, values, residuals) =>
      read((queries) => sharedWithBaseline(queries, selection, baseline, values, residuals)),
    factNames: (selection) => read((queries) => factNames(queries, selection)),
    shared: (selection, sides, values) => read((queries) => shared(queries, selection, sides, values)),
    hours: (selection) => read((queries) => hours(queries, selection)),
    dismissals: (selection) => read((queries) => dismissals(queries, selection)),
    runCounts: (selection) => read((queries) => runCounts(queries, selection)),
    comments: (selection) => read((queries) => comments(queries, selection)),
  };
}
