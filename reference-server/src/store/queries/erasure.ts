import { sql, type RawBuilder, type SqlBool } from "kysely";
import { type EraseCounts, type EraseSelection, type ProjectPurge } from "../store.ts";
import { type Dialect, build, changedBy, rowsOf, type Work } from "./work.ts";
import { bumpDirectory } from "./directory-methods.ts";

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
export function recordsToErase(selection: EraseSelection, { isRespondent }: Dialect): Condition {
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

const dayInMs = 24 * 60 * 60_000;
const dayOf = (at: number) => at - (at % dayInMs);

/** Asks of a day become one row, at its beginning. */
function* coarsenAsks(chosen: Condition, storedUntil: number): Work<void> {
  const asks = build.deleteFrom("asks").where(chosen).where("at", "<=", storedUntil);
  const gone = yield* rowsOf(asks.returningAll());
  const keyOf = (ask: (typeof gone)[number]) =>
    `${Buffer.from(ask.respondentHash).toString("hex")} ${dayOf(ask.at)} ${ask.surveyId}`;
  const coarse = [...Map.groupBy(gone, keyOf).values()].map((ofDay) => ({
    ...ofDay[0]!,
    at: dayOf(ofDay[0]!.at),
    times: ofDay.reduce((sum, { times }) => sum + times, 0),
  }));
  if (coarse.length > 0) yield build.insertInto("asks").values(coarse);
}

/** Suppression of erased people is permanent; no time of theirs stays that is finer than a day (decision O93). */
function* keepPermanently(chosen: Condition, storedUntil: number): Work<number> {
  yield* coarsenAsks(chosen, storedUntil);
  const day = sql.lit(dayInMs);
  return yield* changedBy(sql`
    UPDATE suppression SET is_permanent = 1,
      answered_at = answered_at - answered_at % ${day}, dismissed_at = dismissed_at - dismissed_at % ${day}
    WHERE ${chosen} AND answered_at <= ${storedUntil} AND dismissed_at <= ${storedUntil}`);
}

/** Returns how many facts of suppression stay. Where no person is erased, they stay as they are (decision O93). */
export function* eraseSuppression(selection: EraseSelection): Work<number> {
  const { respondents, storedUntil = Number.MAX_SAFE_INTEGER } = selection;
  const chosen = hashesToErase(selection);
  yield build.deleteFrom("runs").where(chosen).where("at", "<=", storedUntil);
  if (respondents) return yield* keepPermanently(chosen, storedUntil);
  const kept = build.selectFrom("suppression").select(({ fn }) => fn.countAll<number>().as("rows"));
  return (yield* rowsOf(kept.where(chosen)))[0]!.rows;
}

const tablesBeside = [
  "suppression",
  "asks",
  "runs",
  "responseCounts",
  "deliveries",
  "leases",
  "spentTokens",
] as const;

/** Suppression goes too: its hashes could not be computed any more (decision D106). */
export function* purgeProject({ projectId, secrets }: ProjectPurge): Work<EraseCounts> {
  const deleted = (table: "responses" | "dismissals" | (typeof tablesBeside)[number]) =>
    changedBy(build.deleteFrom(table).where("projectId", "=", projectId));
  const responsesDeleted = yield* deleted("responses");
  const dismissalsDeleted = yield* deleted("dismissals");
  for (const table of tablesBeside) yield* deleted(table);
  const next = build.updateTable("projects").set(({ eb }) => ({ epoch: eb("epoch", "+", 1), secrets }));
  yield next.where("id", "=", projectId);
  yield bumpDirectory();
  return { responsesDeleted, dismissalsDeleted, suppressionRetained: 0 };
}
