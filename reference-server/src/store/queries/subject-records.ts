import { type IdentityKind } from "@afterword/protocol";
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
import { type Dialect } from "./dialect.ts";
import { build, rowsOf, type Work } from "./work.ts";

type Condition = RawBuilder<SqlBool>;

function* responsesOf(projectId: string, isTheirs: Condition): Work<SubjectResponse[]> {
  const rows = yield* rowsOf(
    build
      .selectFrom("responses")
      .select(["id", "survey_id", "survey_version", "respondent_id", "rating", "text", "follow_up_requested"])
      .select(["identity_kind", "traits", "task_type", "session_id", "observation_id", "at"])
      .select(["source", "score_state", "failure"])
      .where("project_id", "=", projectId)
      .where(isTheirs)
      // The sum keeps the database off the index that has this order but leads through all responses.
      .orderBy(sql`sequence + 0`),
  );
  return rows.map((row) => ({
    id: row.id,
    surveyId: row.survey_id,
    surveyVersion: row.survey_version,
    respondentId: row.respondent_id!,
    rating: row.rating,
    text: row.text,
    followUpRequested: row.follow_up_requested === null ? null : row.follow_up_requested === 1,
    identityKind: row.identity_kind as IdentityKind | null,
    traits: row.traits,
    taskType: row.task_type,
    sessionId: row.session_id,
    observationId: row.observation_id,
    at: row.at,
    source: row.source as SubjectResponse["source"],
    scoreState: row.score_state as SubjectResponse["scoreState"],
    failure: row.failure,
  }));
}

function* dismissalsOf(projectId: string, isTheirs: Condition): Work<SubjectDismissal[]> {
  const dismissals = build.selectFrom("dismissals").where("project_id", "=", projectId).where(isTheirs);
  const rows = yield* rowsOf(
    dismissals.select(["id", "survey_id", "respondent_id", "at"]).orderBy("at").orderBy("id"),
  );
  return rows.map((row) => ({
    id: row.id,
    surveyId: row.survey_id,
    respondentId: row.respondent_id!,
    at: row.at,
  }));
}

type Hashes = readonly Uint8Array[];

function* suppressionOf(projectId: string, hashes: Hashes): Work<Suppression[]> {
  const suppression = build.selectFrom("suppression").selectAll().where("project_id", "=", projectId);
  const rows = yield* rowsOf(suppression.where("respondent_hash", "in", hashes).orderBy("survey_id"));
  return rows.map((row) => ({
    surveyId: row.survey_id,
    answeredAt: row.answered_at,
    dismissedAt: row.dismissed_at,
    isPermanent: row.is_permanent === 1,
  }));
}

function asksOf(projectId: string, hashes: Hashes): Work<EarlierAsk[]> {
  const asks = build.selectFrom("asks").select(["survey_id as surveyId", "at", "times"]);
  const theirs = asks.where("project_id", "=", projectId).where("respondent_hash", "in", hashes);
  return rowsOf(theirs.orderBy("at").orderBy("survey_id"));
}

function runsOf(projectId: string, hashes: Hashes): Work<SubjectRun[]> {
  const runs = build.selectFrom("runs").select(["survey_id as surveyId", "at"]);
  const theirs = runs.where("project_id", "=", projectId).where("respondent_hash", "in", hashes);
  return rowsOf(theirs.orderBy("at").orderBy("survey_id"));
}

/** Everything that is stored about a person. */
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
      .select("respondent_id")
      .where("project_id", "=", projectId)
      .where("respondent_id", "is not", null)
      .where(isRespondentAfter(after))
      .groupBy(respondentOrder);
    for (const column of respondentOrder) rows = rows.orderBy(column);
    for (const row of yield* rowsOf(rows.limit(limit))) found.add(row.respondent_id!);
  }
  // Compared as the database compares them: by bytes.
  const sorted = [...found].toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return sorted.slice(0, limit);
}
