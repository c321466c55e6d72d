import { sql } from "kysely";
import { type IdentityKind } from "@afterword/protocol";
import {
  type RespondentIdentity,
  type SubjectDismissal,
  type SubjectRecords,
  type SubjectResponse,
} from "../store.ts";
import { all, build } from "./build.ts";
import { type Connection } from "./connection.ts";

function responsesOf(connection: Connection, projectId: string, ids: string[]): SubjectResponse[] {
  const query = build
    .selectFrom("responses")
    .select(["id", "survey_id", "survey_version", "respondent_id", "rating", "text", "follow_up_requested"])
    .select([
      "identity_kind",
      "traits",
      "task_type",
      "session_id",
      "observation_id",
      "at",
      "source",
      "score_state",
    ])
    .where("project_id", "=", projectId)
    .where("respondent_id", "in", ids)
    // The sum keeps SQLite off the index that has this order but leads through everybody's responses.
    .orderBy(sql`sequence + 0`);
  return all(connection, query).map((row) => ({
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
  }));
}

function dismissalsOf(connection: Connection, projectId: string, ids: string[]): SubjectDismissal[] {
  const query = build
    .selectFrom("dismissals")
    .select(["id", "survey_id", "respondent_id", "at"])
    .where("project_id", "=", projectId)
    .where("respondent_id", "in", ids)
    .orderBy("at")
    .orderBy("id");
  return all(connection, query).map(({ id, survey_id, respondent_id, at }) => ({
    id,
    surveyId: survey_id,
    respondentId: respondent_id!,
    at,
  }));
}

/** Everything that is stored about somebody. */
export function subjectRecords(
  connection: Connection,
  projectId: string,
  respondents: readonly RespondentIdentity[],
): SubjectRecords {
  const ids = respondents.map(({ id }) => id);
  const asks = build
    .selectFrom("asks")
    .select(["survey_id as surveyId", "at", "times"])
    .where("project_id", "=", projectId)
    .where(
      "respondent_hash",
      "in",
      respondents.map(({ hash }) => hash),
    )
    .orderBy("at")
    .orderBy("survey_id");
  return {
    responses: responsesOf(connection, projectId, ids),
    dismissals: dismissalsOf(connection, projectId, ids),
    suppression: all(connection, asks),
  };
}

/** Respondents with responses or dismissals; an index gives them in this order. */
export function respondentIds(
  connection: Connection,
  projectId: string,
  after: string | undefined,
  limit: number,
): string[] {
  const of = (table: "responses" | "dismissals") =>
    build
      .selectFrom(table)
      .select("respondent_id")
      .distinct()
      .where("project_id", "=", projectId)
      .where("respondent_id", "is not", null)
      .where("respondent_id", ">", after ?? "")
      .orderBy("respondent_id")
      .limit(limit);
  const found = (["responses", "dismissals"] as const).flatMap((table) => all(connection, of(table)));
  const ids = [...new Set(found.map((row) => row.respondent_id!))];
  // Compared as the database compares them: by bytes.
  return ids.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))).slice(0, limit);
}
