import { type IdentityKind } from "@afterword/protocol";
import { sql, type Kysely, type Selectable } from "kysely";
import { type SubjectDismissal, type SubjectResponse } from "./administration.ts";
import { type Schema } from "./schema.ts";

// What both databases tell about a person; each adds how it finds one by its indexes.

type Builder = Kysely<Pick<Schema, "responses" | "dismissals" | "asks">>;

/** Responses of a project in the order in which they were stored, for `subjectResponse`. */
export function subjectResponses(build: Builder, projectId: string) {
  return (
    build
      .selectFrom("responses")
      .select(["id", "survey_id", "survey_version", "respondent_id", "rating", "text", "follow_up_requested"])
      .select(["identity_kind", "traits", "task_type", "session_id", "observation_id", "at"])
      .select(["source", "score_state"])
      .where("project_id", "=", projectId)
      // The sum keeps the database off the index that has this order but leads through everybody's responses.
      .orderBy(sql`sequence + 0`)
  );
}

type ResponseRow = Omit<Selectable<Schema["responses"]>, "sequence" | "project_id" | "token_id">;

export function subjectResponse(row: ResponseRow): SubjectResponse {
  return {
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
  };
}

/** Dismissals of a project, for `subjectDismissal`. */
export function subjectDismissals(build: Builder, projectId: string) {
  return build
    .selectFrom("dismissals")
    .select(["id", "survey_id", "respondent_id", "at"])
    .where("project_id", "=", projectId)
    .orderBy("at")
    .orderBy("id");
}

type DismissalRow = Pick<Selectable<Schema["dismissals"]>, "id" | "survey_id" | "respondent_id" | "at">;

export function subjectDismissal({ id, survey_id, respondent_id, at }: DismissalRow): SubjectDismissal {
  return { id, surveyId: survey_id, respondentId: respondent_id!, at };
}

/** That people of a project were asked, under their hashes. */
export function subjectSuppression(build: Builder, projectId: string) {
  return build
    .selectFrom("asks")
    .select(["survey_id as surveyId", "at", "times"])
    .where("project_id", "=", projectId)
    .orderBy("at")
    .orderBy("survey_id");
}
