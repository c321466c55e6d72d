import { sql, type RawBuilder, type SqlBool } from "kysely";
import {
  dayInMs,
  dayOf,
  type EraseCounts,
  type EraseSelection,
  type ProjectPurge,
} from "@afterword/reference-server/internal";
import { type Queries } from "@afterword/results/store";
import { bumpDirectory } from "./directory.ts";
import { type SqlDialect } from "../store/sql-dialect.ts";

type Condition = RawBuilder<SqlBool>;

function allOf(conditions: readonly (Condition | undefined)[]): Condition {
  return sql<SqlBool>`${sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` AND `,
  )}`;
}

const ofProject = ({ projectId }: EraseSelection): Condition => sql`project_id = ${projectId}`;
const ofSurveys = ({ surveyIds }: EraseSelection): Condition | undefined =>
  surveyIds && sql`survey_id IN (${sql.join([...surveyIds])})`;

/** Responses and dismissals to erase; with neither respondents nor surveys, all of the project. */
export function recordsToErase(selection: EraseSelection, { isRespondent }: SqlDialect): Condition {
  const { respondents, storedUntil } = selection;
  const ofRespondents = respondents && isRespondent(respondents.map(({ id }) => id));
  const isOldEnough: Condition | undefined =
    storedUntil === undefined ? undefined : sql`at <= ${storedUntil}`;
  return allOf([ofProject(selection), ofRespondents, ofSurveys(selection), isOldEnough]);
}

/** What is kept under the hashes of the same people, of the same surveys. */
function hashesToErase(selection: EraseSelection): Condition {
  const hashes = selection.respondents?.map(({ hash }) => hash);
  const ofRespondents: Condition | undefined = hashes && sql`respondent_hash IN (${sql.join(hashes)})`;
  return allOf([ofProject(selection), ofRespondents, ofSurveys(selection)]);
}

/** Asks of a day become one row, at its beginning. */
async function coarsenAsks(queries: Queries, chosen: Condition, storedUntil: number): Promise<void> {
  const asks = queries.deleteFrom("asks").where(chosen).where("at", "<=", storedUntil);
  const gone = await asks.returningAll().execute();
  const keyOf = (ask: (typeof gone)[number]) =>
    `${Buffer.from(ask.respondentHash).toString("hex")} ${dayOf(ask.at)} ${ask.surveyId}`;
  const coarse = [...Map.groupBy(gone, keyOf).values()].map((ofDay) => ({
    ...ofDay[0]!,
    at: dayOf(ofDay[0]!.at),
    times: ofDay.reduce((sum, { times }) => sum + times, 0),
  }));
  if (coarse.length > 0) await queries.insertInto("asks").values(coarse).execute();
}

/** Suppression of erased people is permanent; no time of theirs stays that is finer than a day (decision O93). */
async function keepPermanently(queries: Queries, chosen: Condition, storedUntil: number): Promise<number> {
  await coarsenAsks(queries, chosen, storedUntil);
  const day = sql.lit(dayInMs);
  const kept = sql`
    UPDATE suppression SET is_permanent = 1,
      answered_at = answered_at - answered_at % ${day}, dismissed_at = dismissed_at - dismissed_at % ${day}
    WHERE ${chosen} AND answered_at <= ${storedUntil} AND dismissed_at <= ${storedUntil}`;
  return Number((await kept.execute(queries)).numAffectedRows);
}

/**
 * Erases what is kept beside the records, and returns how many facts of suppression stay. Where no person is erased, they stay
 * as they are, and the counts of runs go, which say nothing about a person.
 */
export async function eraseBeside(queries: Queries, selection: EraseSelection): Promise<number> {
  const { respondents, storedUntil = Number.MAX_SAFE_INTEGER } = selection;
  const chosen = hashesToErase(selection);
  await queries.deleteFrom("runs").where(chosen).where("at", "<=", storedUntil).execute();
  if (respondents) return keepPermanently(queries, chosen, storedUntil);
  const runCounts = queries.deleteFrom("runCounts").where(chosen);
  await runCounts.where("day", "<=", storedUntil).execute();
  const kept = queries.selectFrom("suppression").select(({ fn }) => fn.countAll<number>().as("rows"));
  return (await kept.where(chosen).executeTakeFirstOrThrow()).rows;
}

const tablesBeside = [
  "suppression",
  "asks",
  "runs",
  "responseCounts",
  "runCounts",
  "deliveries",
  "leases",
  "spentTokens",
] as const;

/** Suppression goes too: its hashes could not be computed any more. */
export async function purgeProject(
  queries: Queries,
  { projectId, secrets }: ProjectPurge,
): Promise<EraseCounts> {
  const deleted = async (table: "responses" | "dismissals" | (typeof tablesBeside)[number]) =>
    Number(
      (await queries.deleteFrom(table).where("projectId", "=", projectId).executeTakeFirst()).numDeletedRows,
    );
  const responsesDeleted = await deleted("responses");
  const dismissalsDeleted = await deleted("dismissals");
  for (const table of tablesBeside) await deleted(table);
  const next = queries.updateTable("projects").set(({ eb }) => ({ epoch: eb("epoch", "+", 1), secrets }));
  await next.where("id", "=", projectId).execute();
  await bumpDirectory(queries);
  return { responsesDeleted, dismissalsDeleted, suppressionRetained: 0 };
}
