import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { RespondentIdentity, SubjectDismissal, SubjectRecords, SubjectResponse } from "../store.ts";
import { type Dialect, build, rowsOf, type Work } from "./work.ts";

type Condition = RawBuilder<SqlBool>;

function* responsesOf(projectId: string, isTheirs: Condition): Work<SubjectResponse[]> {
  const responses = build.selectFrom("responses").selectAll().where("projectId", "=", projectId);
  // The sum keeps the database off the index that has this order but leads through all responses.
  const rows = yield* rowsOf(responses.where(isTheirs).orderBy(sql`sequence + 0`));
  return rows.map(({ sequence: _, projectId: __, tokenId: ___, followUpRequested: flag, ...row }) => ({
    ...row,
    respondentId: row.respondentId!,
    followUpRequested: flag === null ? null : flag === 1,
  }));
}

function dismissalsOf(projectId: string, isTheirs: Condition): Work<SubjectDismissal[]> {
  const dismissals = build.selectFrom("dismissals").where("projectId", "=", projectId).where(isTheirs);
  const columns = dismissals.select(["id", "surveyId", "respondentId", "at"]);
  return rowsOf(columns.$narrowType<{ respondentId: string }>().orderBy("at").orderBy("id"));
}

export function* subjectRecords(
  projectId: string,
  respondents: readonly RespondentIdentity[],
  { isRespondent }: Dialect,
): Work<SubjectRecords> {
  const isTheirs = isRespondent(respondents.map(({ id }) => id));
  const hashes = respondents.map(({ hash }) => hash);
  const keptIn = (table: "suppression" | "asks" | "runs") =>
    build.selectFrom(table).where("projectId", "=", projectId).where("respondentHash", "in", hashes);
  const suppression = keptIn("suppression").select(["surveyId", "answeredAt", "dismissedAt", "isPermanent"]);
  const asks = keptIn("asks").select(["surveyId", "at", "times"]);
  const runs = keptIn("runs").select(["surveyId", "at"]);
  const facts = yield* rowsOf(suppression.orderBy("surveyId"));
  return {
    responses: yield* responsesOf(projectId, isTheirs),
    dismissals: yield* dismissalsOf(projectId, isTheirs),
    suppression: facts.map((fact) => ({ ...fact, isPermanent: fact.isPermanent === 1 })),
    asks: yield* rowsOf(asks.orderBy("at").orderBy("surveyId")),
    runs: yield* rowsOf(runs.orderBy("at").orderBy("surveyId")),
  };
}

/** Respondents with responses or dismissals; an index gives them in this order. */
export function* respondentIds(
  projectId: string,
  after: string = "",
  limit: number,
  { isRespondentAfter, respondentOrder }: Dialect,
): Work<string[]> {
  const found = new Set<string>();
  for (const table of ["responses", "dismissals"] as const) {
    let rows = build
      .selectFrom(table)
      .select("respondentId")
      .where("projectId", "=", projectId)
      .where("respondentId", "is not", null)
      .where(isRespondentAfter(after))
      .groupBy(respondentOrder);
    for (const column of respondentOrder) rows = rows.orderBy(column);
    for (const row of yield* rowsOf(rows.limit(limit))) found.add(row.respondentId!);
  }
  // Compared as the database compares them: by bytes.
  const sorted = [...found].toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return sorted.slice(0, limit);
}
