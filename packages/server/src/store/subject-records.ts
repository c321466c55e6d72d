import { sql, type Expression, type RawBuilder, type SqlBool } from "kysely";
import { type Queries } from "@afterword/results/store";
import type {
  RespondentIdentity,
  SubjectDismissal,
  SubjectRecords,
  SubjectResponse,
} from "./administration.ts";

/** Where the tables of the two databases differ, and with them the queries that both get. */
export interface SqlDialect {
  /** Rows of these respondents, found by an index. */
  isRespondent(ids: readonly string[]): RawBuilder<SqlBool>;
  /** Rows of respondents who come after this one in the order of bytes. */
  isRespondentAfter(id: string): RawBuilder<SqlBool>;
  /** The same order, as the index has it. */
  respondentOrder: readonly Expression<unknown>[];
}

type Condition = RawBuilder<SqlBool>;

async function responsesOf(
  queries: Queries,
  projectId: string,
  isTheirs: Condition,
): Promise<SubjectResponse[]> {
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

function dismissalsOf(queries: Queries, projectId: string, isTheirs: Condition): Promise<SubjectDismissal[]> {
  const dismissals = queries.selectFrom("dismissals").where("projectId", "=", projectId).where(isTheirs);
  const columns = dismissals.select(["id", "surveyId", "respondentId", "at"]);
  return columns.$narrowType<{ respondentId: string }>().orderBy("at").orderBy("id").execute();
}

export async function subjectRecords(
  queries: Queries,
  projectId: string,
  respondents: readonly RespondentIdentity[],
  { isRespondent }: SqlDialect,
): Promise<SubjectRecords> {
  const isTheirs = isRespondent(respondents.map(({ id }) => id));
  const hashes = respondents.map(({ hash }) => hash);
  const keptIn = (table: "suppression" | "asks" | "runs") =>
    queries.selectFrom(table).where("projectId", "=", projectId).where("respondentHash", "in", hashes);
  const suppression = keptIn("suppression").select(["surveyId", "answeredAt", "dismissedAt", "isPermanent"]);
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
}

/** Respondents with responses or dismissals; an index gives them in this order. */
export async function respondentIds(
  queries: Queries,
  projectId: string,
  after: string = "",
  limit: number,
  { isRespondentAfter, respondentOrder }: SqlDialect,
): Promise<string[]> {
  const found = new Set<string>();
  for (const table of ["responses", "dismissals"] as const) {
    let rows = queries
      .selectFrom(table)
      .select("respondentId")
      .where("projectId", "=", projectId)
      .where("respondentId", "is not", null)
      .where(isRespondentAfter(after))
      .groupBy(respondentOrder);
    for (const column of respondentOrder) rows = rows.orderBy(column);
    for (const row of await rows.limit(limit).execute()) found.add(row.respondentId!);
  }
  // Compared as the database compares them: by bytes.
  const sorted = [...found].toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return sorted.slice(0, limit);
}
