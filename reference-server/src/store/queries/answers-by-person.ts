import { sql, type RawBuilder, type SqlBool } from "kysely";
import { type ClassResidual, type RatingValues, type ResultsSelection } from "../results.ts";
import { type Queries } from "./query-runner.ts";

export type Key = RawBuilder<string | number | null>;

export const runVersion = sql<string | null>`(run ->> 'version')`;
export const runStratum = sql<string | null>`(run ->> 'stratum')`;

export function selected(
  queries: Queries,
  { projectId, surveyIds, since, until, measuredOnly }: ResultsSelection,
) {
  let query = queries
    .selectFrom("responses")
    .where("projectId", "=", projectId)
    .where("rating", "is not", null);
  if (surveyIds) query = query.where("surveyId", "in", [...surveyIds]);
  if (since !== undefined) query = query.where("at", ">=", since);
  if (until !== undefined) query = query.where("at", "<", until);
  return measuredOnly ? query.where("source", "=", "measured") : query;
}

/** Of a measured answer to a minted token, which is bound to a session. */
export const hasRun = sql<SqlBool>`(source = 'measured' AND session_id IS NOT NULL)`;

export const ratings = Array.from({ length: 11 }, (_, rating) => rating);
export const column = (rating: number) => sql.ref<number>(`count${rating}`);
export const countsByRating = ratings.map((rating) =>
  sql<number>`count(*) FILTER (WHERE rating = ${sql.lit(rating)})`.as(`count${rating}`),
);
const plus = sql` + `;
/** PostgreSQL adds up whole numbers to decimals, which its driver returns as texts. */
export const sum = (term: RawBuilder<number>) => sql<number>`CAST(sum(${term}) AS bigint)`;

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

type Sql = RawBuilder<unknown>;

const space = sql` `;
const none = sql`CAST(NULL AS double precision)`;
const real = (number: number): Sql => sql`CAST(${sql.lit(number)} AS double precision)`;
/** An empty text stands for none: no version and no stratum is empty. */
const orEmpty = (text: Sql | string | null): Sql =>
  typeof text === "object" && text !== null ? sql`coalesce(${text}, '')` : sql`${text ?? ""}`;

function caseOf(
  operand: Sql,
  whens: readonly (readonly [when: Sql, then: Sql])[],
  otherwise: Sql = none,
): Sql {
  if (whens.length === 0) return otherwise;
  const branches = whens.map(([when, then]) => sql`WHEN ${when} THEN ${then}`);
  return sql`CASE ${operand} ${sql.join(branches, space)} ELSE ${otherwise} END`;
}

/** What is added to the sum of a person: null for an answer without a known run, or of a class without a residual. */
function residual(values: RatingValues, residuals: readonly ClassResidual[]): Sql {
  const groups = <Item>(items: readonly Item[], by: (item: Item) => string | null) => [
    ...Map.groupBy(items, by),
  ];
  const bySurvey = groups(residuals, ({ surveyId }) => surveyId).map(([surveyId, ofSurvey]) => {
    const whens = ratings.map(
      (rating) => [sql.lit(rating), sql.lit(values.get(surveyId!)![rating])] as const,
    );
    const value = caseOf(sql`rating`, whens);
    const term = ({ factor, mean }: ClassResidual) => sql`${real(factor)} * (${value} - ${real(mean)})`;
    const byStratum = groups(ofSurvey, ({ stratum }) => stratum).map(([stratum, ofStratum]) => {
      const named = ofStratum.filter(({ version }) => version !== undefined);
      const others = ofStratum.find(({ version }) => version === undefined);
      const byVersion = named.map((one) => [orEmpty(one.version!), term(one)] as const);
      return [orEmpty(stratum), caseOf(orEmpty(runVersion), byVersion, others && term(others))] as const;
    });
    return [sql`${surveyId}`, caseOf(orEmpty(runStratum), byStratum)] as const;
  });
  return sql`CASE WHEN ${hasRun} THEN ${caseOf(sql`survey_id`, bySurvey)} END`;
}

/**
 * Keeps SQLite from merging a query into the one around it, which would sort whole runs in place of what is read from
 * them: a third faster.
 */
export const apart = sql<number>`9223372036854775807`;

/** A row per survey, group and person. An answer without a known person is a person of its own. */
export function byPerson(
  queries: Queries,
  selection: ResultsSelection,
  key: Key,
  values: RatingValues,
  residuals: readonly ClassResidual[] = [],
) {
  const read = selected(queries, selection)
    .select(["respondentId", "surveyId", "sequence", "source", "rating", key.as("key")])
    .select(sql<number | null>`${residual(values, residuals)}`.as("residual"))
    // Of versions alone: carrying it through the sort costs a tenth.
    .select((key === runVersion ? sql<number | null>`at` : sql<null>`CAST(NULL AS bigint)`).as("at"));
  const counts = queries
    .selectFrom((residuals.length > 0 ? read.limit(apart) : read).as("read"))
    .select(["respondentId", "surveyId", "key"])
    .select(({ fn }) => [fn.min("at").as("firstAt"), fn.max("at").as("lastAt")])
    .select(sql<number | null>`sum(residual)`.as("residual"))
    .select(sql<number>`count(*) FILTER (WHERE source = 'imported')`.as("imported"))
    .select(countsByRating)
    // The person first: SQLite sorts, and two texts that begin alike take longer to compare.
    .groupBy(["respondentId", "surveyId", "key", sql`CASE WHEN respondent_id IS NULL THEN sequence END`]);
  return queries
    .selectFrom(counts.as("counts"))
    .selectAll()
    .select(sql<number>`${sql.join(ratings.map(column), plus)}`.as("weight"))
    .select(personValue(values).as("value"));
}
