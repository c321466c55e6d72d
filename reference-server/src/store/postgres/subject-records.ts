import { sql } from "kysely";
import {
  subjectDismissal,
  subjectDismissals,
  subjectResponse,
  subjectResponses,
  subjectSuppression,
} from "../subject-query.ts";
import { type RespondentIdentity, type SubjectRecords } from "../store.ts";
import { all, build, type Connection } from "./build.ts";
import { beginsAsOneOf, beginsNotBefore, indexedBeginning } from "./respondent-index.ts";

/** Everything that is stored about somebody. */
export async function subjectRecords(
  connection: Connection,
  projectId: string,
  respondents: readonly RespondentIdentity[],
): Promise<SubjectRecords> {
  const ids = respondents.map(({ id }) => id);
  const hashes = respondents.map(({ hash }) => hash);
  const isTheirs = sql<boolean>`${beginsAsOneOf(ids)} AND respondent_id = ANY (${ids}::text[])`;
  const hasTheirHash = sql<boolean>`respondent_hash = ANY (${hashes}::bytea[])`;
  const responses = await all(connection, subjectResponses(build, projectId).where(isTheirs));
  const dismissals = await all(connection, subjectDismissals(build, projectId).where(isTheirs));
  return {
    responses: responses.map(subjectResponse),
    dismissals: dismissals.map(subjectDismissal),
    suppression: await all(connection, subjectSuppression(build, projectId).where(hasTheirHash)),
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
