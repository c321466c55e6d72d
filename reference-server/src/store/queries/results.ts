import { sql, type RawBuilder } from "kysely";
import {
  firstMonday,
  hourInMs,
  weekInMs,
  type Comment,
  type CommentSelection,
  type DismissalTally,
  type HourTally,
  type RatingValues,
  type ResultsReader,
  type ResultsSelection,
  type SharedTally,
  type Sides,
  type Tally,
  type TallyKey,
} from "../results.ts";
import { type Queries, type QueryRunner } from "./query-runner.ts";
import { readQueue } from "./queue-facts.ts";
import { runCounts } from "./run-counts.ts";

type Key = RawBuilder<string | number | null>;

const sinceMonday = sql<number>`(at - ${sql.lit(firstMonday)})`;

const week = sql<number>`(${sinceMonday} / ${sql.lit(weekInMs)})`;

// Weeks and hours are whole numbers, which both databases divide without a remainder; weeks begin on Monday in UTC.
const keys: Record<TallyKey, Key> = {
  none: sql<null>`NULL`,
  taskType: sql<string | null>`task_type`,
  surveyVersion: sql<number>`survey_version`,
  identityKind: sql<string | null>`identity_kind`,
  week,
};

function keyOf(by: TallyKey | Sides): Key {
  if (typeof by === "string") return keys[by];
  if ("since" in by) return sql<number>`CASE WHEN at < ${sql.lit(by.since)} THEN 0 ELSE 1 END`;
  return sql<number>`CASE task_type WHEN ${by.from} THEN 0 WHEN ${by.to} THEN 1 END`;
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

const ratings = Array.from({ length: 11 }, (_, rating) => rating);
const column = (rating: number) => sql.ref<number>(`count${rating}`);
const plus = sql` + `;
/** PostgreSQL adds up whole numbers to decimals, which its driver returns as texts. */
const sum = (term: RawBuilder<number>) => sql<number>`CAST(sum(${term}) AS bigint)`;

/** The sum of a person's values. Few surveys differ in them: those with the same ones share a branch. */
function personValue(values: RatingValues): RawBuilder<number> {
  if (values.size === 0) return sql<number>`0`;
  const whens = [...new Set(values.values())].map((of) => {
    const surveyIds = [...values].flatMap(([surveyId, own]) => (own === of ? surveyId : []));
    const terms = ratings.map((rating) => sql`${sql.lit(of[rating])} * ${column(rating)}`);
    return sql`WHEN survey_id IN (${sql.join(surveyIds)}) THEN ${sql.join(terms, plus)}`;
  });
  return sql<number>`CASE ${sql.join(whens, sql` `)} ELSE 0 END`;
}

/** A row per survey, group and person. An answer without a known person is a person of its own. */
function byPerson(queries: Queries, selection: ResultsSelection, key: Key, values: RatingValues) {
  const counts = selected(queries, selection)
    .select(["respondentId", "surveyId", key.as("key")])
    .select(sql<number>`count(*) FILTER (WHERE source = 'imported')`.as("imported"))
    .select(
      ratings.map((rating) =>
        sql<number>`count(*) FILTER (WHERE rating = ${sql.lit(rating)})`.as(`count${rating}`),
      ),
    )
    // The person first: SQLite sorts, and two texts that begin alike take longer to compare.
    .groupBy(["respondentId", "surveyId", "key", sql`CASE WHEN respondent_id IS NULL THEN sequence END`]);
  return queries
    .selectFrom(counts.as("counts"))
    .selectAll()
    .select(sql<number>`${sql.join(ratings.map(column), plus)}`.as("weight"))
    .select(personValue(values).as("value"));
}

async function tally(
  queries: Queries,
  selection: ResultsSelection,
  by: TallyKey | Sides,
  values: RatingValues,
): Promise<Tally[]> {
  const rows = await queries
    .selectFrom(byPerson(queries, selection, keyOf(by), values).as("person"))
    .select(["surveyId", "key", sum(sql`imported`).as("imported")])
    .select(sql<number>`count(*) FILTER (WHERE respondent_id IS NULL)`.as("withoutPerson"))
    .select(({ fn }) => fn.countAll<number>().as("people"))
    .select([
      sum(sql`weight * weight`).as("squaredWeights"),
      sum(sql`weight * value`).as("weightsTimesValues"),
      sum(sql`value * value`).as("squaredValues"),
    ])
    .select(ratings.map((rating) => sum(column(rating)).as(`count${rating}`)))
    .groupBy(["surveyId", "key"])
    .execute();
  return rows.map(({ surveyId, key, imported, withoutPerson, ...row }) => {
    const { people, squaredWeights, weightsTimesValues, squaredValues } = row;
    return {
      surveyId,
      key,
      counts: ratings.map((rating) => row[`count${rating}`]!),
      imported,
      withoutPerson,
      people: { people, squaredWeights, weightsTimesValues, squaredValues },
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

/** @param read runs queries, each time on the same state of the database */
export function resultsReader(read: QueryRunner["read"]): ResultsReader {
  return {
    queue: (projectId, since) => read((queries) => readQueue(queries, projectId, since)),
    tally: (selection, by, values) => read((queries) => tally(queries, selection, by, values)),
    shared: (selection, sides, values) => read((queries) => shared(queries, selection, sides, values)),
    hours: (selection) => read((queries) => hours(queries, selection)),
    dismissals: (selection) => read((queries) => dismissals(queries, selection)),
    runCounts: (selection) => read((queries) => runCounts(queries, selection)),
    comments: (selection) => read((queries) => comments(queries, selection)),
  };
}
