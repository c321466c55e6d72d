import { sql, type RawBuilder, type SqlBool } from "kysely";
import {
  type EarlierAsk,
  type RespondentIdentity,
  type SubjectDismissal,
  type SubjectRecords,
  type SubjectResponse,
  type SubjectRun,
  type Suppression,
} from "../store.ts";
import { type Dialect } from "./work.ts";
import { build, rowsOf, type Work } from "./work.ts";

type Condition = RawBuilder<SqlBool>;

function* responsesOf(projectId: string, isTheirs: Condition): Work<SubjectResponse[]> {
  const rows = yield* rowsOf(
    build
      .selectFrom("responses")
      .select(["id", "surveyId", "surveyVersion", "respondentId", "rating", "text", "followUpRequested"])
      .select(["identityKind", "traits", "taskType", "sessionId", "observationId", "at"])
      .select(["source", "scoreState", "failure"])
      .where("projectId", "=", projectId)
      .where(isTheirs)
      // The sum keeps the database off the index that has this order but leads through all responses.
      .orderBy(sql`sequence + 0`),
  );
  return rows.map(({ respondentId, followUpRequested: flag, ...row }) => ({
    ...row,
    respondentId: respondentId!,
    followUpRequested: flag === null ? null : flag === 1,
  }));
}

function dismissalsOf(projectId: string, isTheirs: Condition): Work<SubjectDismissal[]> {
  const dismissals = build.selectFrom("dismissals").where("projectId", "=", projectId).where(isTheirs);
  const columns = dismissals
    .select(["id", "surveyId", "respondentId", "at"])
    .$narrowType<{ respondentId: string }>();
  return rowsOf(columns.orderBy("at").orderBy("id"));
}

type Hashes = readonly Uint8Array[];

function* suppressionOf(projectId: string, hashes: Hashes): Work<Suppression[]> {
  const suppression = build.selectFrom("suppression").where("projectId", "=", projectId);
  const theirs = suppression.where("respondentHash", "in", hashes).orderBy("surveyId");
  const rows = yield* rowsOf(theirs.select(["surveyId", "answeredAt", "dismissedAt", "isPermanent"]));
  return rows.map((row) => ({ ...row, isPermanent: row.isPermanent === 1 }));
}

function asksOf(projectId: string, hashes: Hashes): Work<EarlierAsk[]> {
  const asks = build.selectFrom("asks").select(["surveyId", "at", "times"]);
  const theirs = asks.where("projectId", "=", projectId).where("respondentHash", "in", hashes);
  return rowsOf(theirs.orderBy("at").orderBy("surveyId"));
}

function runsOf(projectId: string, hashes: Hashes): Work<SubjectRun[]> {
  const runs = build.selectFrom("runs").select(["surveyId", "at"]);
  const theirs = runs.where("projectId", "=", projectId).where("respondentHash", "in", hashes);
  return rowsOf(theirs.orderBy("at").orderBy("surveyId"));
}

export function* subjectRecords(
  projectId: string,
  respondents: readonly RespondentIdentity[],
  { isRespondent }: Dialect,
): Work<SubjectRecords> {
  const isTheirs = isRespondent(respondents.map(({ id }) => id));
  const hashes = respondents.map(({ hash }) => hash);
  return {
    responses: yield* responsesOf(projectId, isTheirs),
    dismissals: yield* dismissalsOf(projectId, isTheirs),
    suppression: yield* suppressionOf(projectId, hashes),
    asks: yield* asksOf(projectId, hashes),
    runs: yield* runsOf(projectId, hashes),
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
