import { type IdentityKind } from "@afterword/protocol";
import { sql } from "kysely";
import {
  type RespondentIdentity,
  type SubjectDismissal,
  type SubjectRecords,
  type SubjectResponse,
} from "../store.ts";
import { all, build, type Connection } from "./build.ts";
import { beginsAsOneOf, beginsNotBefore, indexedBeginning } from "./respondent-index.ts";

async function responsesOf(
  connection: Connection,
  projectId: string,
  ids: string[],
): Promise<SubjectResponse[]> {
  const query = build
    .selectFrom("responses")
    .select([
      "id",
      "survey_id as surveyId",
      "survey_version as surveyVersion",
      "rating",
      "text",
      "traits",
      "at",
    ])
    .select(["respondent_id", "follow_up_requested", "identity_kind", "source", "score_state"])
    .select(["task_type as taskType", "session_id as sessionId", "observation_id as observationId"])
    .where("project_id", "=", projectId)
    .where(beginsAsOneOf(ids))
    .where(sql<boolean>`respondent_id = ANY (${ids}::text[])`)
    .orderBy("sequence");
  const rows = await all(connection, query);
  return rows.map(({ respondent_id, follow_up_requested, identity_kind, source, score_state, ...row }) => ({
    ...row,
    respondentId: respondent_id!,
    followUpRequested: follow_up_requested === null ? null : follow_up_requested === 1,
    identityKind: identity_kind as IdentityKind | null,
    source: source as SubjectResponse["source"],
    scoreState: score_state as SubjectResponse["scoreState"],
  }));
}

async function dismissalsOf(
  connection: Connection,
  projectId: string,
  ids: string[],
): Promise<SubjectDismissal[]> {
  const query = build
    .selectFrom("dismissals")
    .select(["id", "survey_id as surveyId", "respondent_id", "at"])
    .where("project_id", "=", projectId)
    .where(beginsAsOneOf(ids))
    .where(sql<boolean>`respondent_id = ANY (${ids}::text[])`)
    .orderBy("at")
    .orderBy("id");
  const rows = await all(connection, query);
  return rows.map(({ respondent_id, ...row }) => ({ ...row, respondentId: respondent_id! }));
}

/** Everything that is stored about somebody. */
export async function subjectRecords(
  connection: Connection,
  projectId: string,
  respondents: readonly RespondentIdentity[],
): Promise<SubjectRecords> {
  const ids = respondents.map(({ id }) => id);
  const asks = build
    .selectFrom("asks")
    .select(["survey_id as surveyId", "at", "times"])
    .where("project_id", "=", projectId)
    .where(sql<boolean>`respondent_hash = ANY (${respondents.map(({ hash }) => hash)}::bytea[])`)
    .orderBy("at")
    .orderBy("survey_id");
  return {
    responses: await responsesOf(connection, projectId, ids),
    dismissals: await dismissalsOf(connection, projectId, ids),
    suppression: await all(connection, asks),
  };
}

/** Respondents with responses or dismissals; an index gives them in this order, by bytes. */
export async function respondentIds(
  connection: Connection,
  projectId: string,
  after: string = "",
  limit: number,
): Promise<string[]> {
  const of = (table: "responses" | "dismissals") =>
    build
      .selectFrom(table)
      .select("respondent_id as id")
      .where("project_id", "=", projectId)
      .where(beginsNotBefore(after))
      .where("respondent_id", ">", after)
      .groupBy([indexedBeginning, "respondent_id"])
      .orderBy(indexedBeginning)
      .orderBy("respondent_id")
      .limit(limit);
  const both = sql<{
    id: string;
  }>`(${of("responses")}) UNION (${of("dismissals")}) ORDER BY id LIMIT ${limit}`;
  return (await all(connection, both)).map(({ id }) => id);
}
