import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type EraseSelection } from "@afterword/reference-server/internal";
import { type Queries } from "@afterword/results/store";

/** Matches the rows of these respondents by an index, which the two databases have in different forms. */
export type RespondentCondition = (ids: readonly string[]) => RawBuilder<SqlBool>;

type Condition = ReturnType<RespondentCondition>;

async function responsesOf(queries: Queries, projectId: string, isTheirs: Condition) {
  const responses = queries.selectFrom("responses").selectAll().where("projectId", "=", projectId);
  // The sum keeps the database off the index that has this order but leads through all responses.
  const rows = await responses
    .where(isTheirs)
    .orderBy(sql`sequence + 0`)
    .execute();
  return rows.map(({ sequence: _, projectId: __, tokenId: ___, followUpRequested: flag, ...row }) => ({
    ...row,
    respondentId: row.respondentId!,
    followUpRequested: flag === null ? null : flag === 1,
  }));
}

function dismissalsOf(queries: Queries, projectId: string, isTheirs: Condition) {
  const dismissals = queries.selectFrom("dismissals").where("projectId", "=", projectId).where(isTheirs);
  const columns = dismissals.select(["id", "surveyId", "respondentId", "at"]);
  return columns.$narrowType<{ respondentId: string }>().orderBy("at").orderBy("id").execute();
}

/** Everything that is stored about a person. What is kept under hashes alone has no times finer than a day after an erasure. */
export const subjectRecords =
  (isRespondent: RespondentCondition) =>
  async (queries: Queries, projectId: string, respondents: NonNullable<EraseSelection["respondents"]>) => {
    const isTheirs = isRespondent(respondents.map(({ id }) => id));
    const hashes = respondents.map(({ hash }) => hash);
    const keptIn = (table: "suppression" | "asks" | "runs") =>
      queries.selectFrom(table).where("projectId", "=", projectId).where("respondentHash", "in", hashes);
    const suppression = keptIn("suppression").select([
      "surveyId",
      "answeredAt",
      "dismissedAt",
      "isPermanent",
    ]);
    const asks = keptIn("asks").select(["surveyId", "at", "times"]);
    const runs = keptIn("runs").select(["surveyId", "at"]);
    const facts = await suppression.orderBy("surveyId").execute();
    return {
      responses: await responsesOf(queries, projectId, isTheirs),
      dismissals: await dismissalsOf(queries, projectId, isTheirs),
      suppression: facts.map((fact) => ({ ...fact, isPermanent: fact.isPermanent === 1 })),
      asks: await asks.orderBy("at").orderBy("surveyId").execute(),
      runs: await runs.orderBy("at").orderBy("surveyId").execute(),
    };
  };

/** Identified respondents who have responses or dismissals, each once. */
export async function respondentIds(queries: Queries, projectId: string): Promise<string[]> {
  const idsIn = (table: "responses" | "dismissals") =>
    queries
      .selectFrom(table)
      .select("respondentId")
      .where("projectId", "=", projectId)
      .where("respondentId", "is not", null);
  const rows = await idsIn("responses").union(idsIn("dismissals")).execute();
  return rows.map(({ respondentId }) => respondentId!);
}
