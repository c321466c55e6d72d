import { sql } from "kysely";
import {
  type BaselineTally,
  type ClassResidual,
  type ClassTally,
  type RatingValues,
  type ResultsSelection,
} from "../results.ts";
import {
  apart,
  byPerson,
  countsByRating,
  hasRun,
  ratings,
  runStratum,
  runVersion,
  selected,
} from "./answers-by-person.ts";
import { type Queries } from "./query-runner.ts";

export async function classes(queries: Queries, selection: ResultsSelection): Promise<ClassTally[]> {
  const read = selected(queries, selection)
    .where(hasRun)
    .select(["surveyId", "rating", runVersion.as("version"), runStratum.as("stratum")])
    .limit(apart);
  const rows = await queries
    .selectFrom(read.as("read"))
    .select(["surveyId", "version", "stratum"])
    .select(countsByRating)
    .groupBy(["surveyId", "version", "stratum"])
    .execute();
  return rows.map(({ surveyId, version, stratum, ...row }) => ({
    surveyId,
    version,
    stratum,
    counts: ratings.map((rating) => row[`count${rating}`]!),
  }));
}

/** In one pass over all versions: beside each person's sum stands that for the baseline. */
export function sharedWithBaseline(
  queries: Queries,
  selection: ResultsSelection,
  baseline: string,
  values: RatingValues,
  residuals: readonly ClassResidual[],
): Promise<BaselineTally[]> {
  const ofBaseline = sql<number | null>`
    max(CASE WHEN key = ${baseline} THEN residual END) OVER (PARTITION BY survey_id, respondent_id)`;
  const people = queries
    .selectFrom(byPerson(queries, selection, runVersion, values, residuals).as("person"))
    .where("respondentId", "is not", null)
    .where("residual", "is not", null)
    .select(["surveyId", "key", "residual", ofBaseline.as("ofBaseline")]);
  return queries
    .selectFrom(people.as("people"))
    .where("ofBaseline", "is not", null)
    .where("key", "!=", baseline)
    .select(["surveyId", sql<string>`key`.as("version")])
    .select(({ fn }) => fn.countAll<number>().as("people"))
    .select(sql<number>`sum(residual * of_baseline)`.as("products"))
    .groupBy(["surveyId", "key"])
    .execute();
}

const latest = 1000;

export async function factNames(queries: Queries, selection: ResultsSelection): Promise<string[]> {
  const rows = await selected(queries, selection)
    .where("run", "is not", null)
    .select("run")
    .orderBy("at", "desc")
    .limit(latest)
    .execute();
  const facts = rows.map(({ run }) => (JSON.parse(run!) as { facts?: object }).facts ?? {});
  return [...new Set(facts.flatMap(Object.keys))].sort();
}
