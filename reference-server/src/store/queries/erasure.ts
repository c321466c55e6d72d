import { sql, type RawBuilder, type SqlBool } from "kysely";
import { type EraseCounts, type EraseSelection, type ProjectPurge } from "../store.ts";
import { type Dialect } from "./dialect.ts";
import { bumpDirectory } from "./directory-methods.ts";
import { build, changedBy, type Work } from "./work.ts";

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

/** What suppression keeps of the same people and surveys. */
export function asksToCoarsen(selection: EraseSelection): Condition {
  const hashes = selection.respondents?.map(({ hash }) => hash);
  const ofRespondents: Condition | undefined = hashes && sql`respondent_hash IN (${sql.join(hashes)})`;
  return allOf([ofProject(selection), ofRespondents, ofSurveys(selection)]);
}

/** Suppression goes too: its hashes could not be computed any more (decision D106). */
export function* purgeProject({ projectId, pepperSalt }: ProjectPurge): Work<EraseCounts> {
  const deleted = (table: "responses" | "dismissals" | "asks" | "response_counts" | "spent_tokens") =>
    changedBy(build.deleteFrom(table).where("project_id", "=", projectId));
  const responsesDeleted = yield* deleted("responses");
  const dismissalsDeleted = yield* deleted("dismissals");
  for (const table of ["asks", "response_counts", "spent_tokens"] as const) yield* deleted(table);
  const next = build
    .updateTable("projects")
    .set(({ eb }) => ({ epoch: eb("epoch", "+", 1), pepper_salt: pepperSalt }));
  yield next.where("id", "=", projectId);
  yield bumpDirectory();
  return { responsesDeleted, dismissalsDeleted, suppressionRetained: 0 };
}
