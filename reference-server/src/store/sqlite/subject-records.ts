import {
  subjectDismissal,
  subjectDismissals,
  subjectResponse,
  subjectResponses,
  subjectSuppression,
} from "../subject-query.ts";
import { type RespondentIdentity, type SubjectRecords } from "../store.ts";
import { all, build } from "./build.ts";
import { type Connection } from "./connection.ts";

/** Everything that is stored about somebody. */
export function subjectRecords(
  connection: Connection,
  projectId: string,
  respondents: readonly RespondentIdentity[],
): SubjectRecords {
  const ids = respondents.map(({ id }) => id);
  const hashes = respondents.map(({ hash }) => hash);
  const responses = subjectResponses(build, projectId).where("respondent_id", "in", ids);
  const dismissals = subjectDismissals(build, projectId).where("respondent_id", "in", ids);
  const suppression = subjectSuppression(build, projectId).where("respondent_hash", "in", hashes);
  return {
    responses: all(connection, responses).map(subjectResponse),
    dismissals: all(connection, dismissals).map(subjectDismissal),
    suppression: all(connection, suppression),
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
