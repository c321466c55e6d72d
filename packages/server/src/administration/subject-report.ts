import { type ExportQuery } from "@afterword/protocol";
import {
  type Project,
  respondentHash,
  selectionOf,
  timestamp,
  UsageError,
} from "@afterword/reference-server/internal";
import { type OperatedService } from "./operated-service.ts";

const jsonOf = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/**
 * Everything that is stored about one person, for a request of access: an export, and what its rows have no field for.
 * Suppression, asks and runs are kept under keyed hashes, and after an erasure by the day.
 */
export async function subjectReport(
  service: OperatedService,
  project: Project,
  query: Pick<ExportQuery, "respondentId" | "email">,
) {
  const { respondentIds = [] } = selectionOf(project, query);
  if (respondentIds.length === 0) throw new UsageError("Name the person: --respondent, --email or both.");
  const identities = respondentIds.map((id) => ({ id, hash: respondentHash(project.pepper, id) }));
  const records = await service.store.administration.subjectRecords(project.id, identities);
  const slugs = new Map(project.surveys.map(({ id, slug }) => [id, slug]));
  const withSlug = <T extends { surveyId: string; at: number }>(row: T) => ({
    ...row,
    at: timestamp(row.at),
    surveySlug: slugs.get(row.surveyId),
  });
  return {
    projectId: project.id,
    createdAt: timestamp(service.clock.now()),
    respondentIds,
    responses: records.responses.map((row) => ({
      ...withSlug(row),
      traits: jsonOf(row.traits),
      run: jsonOf(row.run),
    })),
    dismissals: records.dismissals.map(withSlug),
    suppression: records.suppression.map(({ surveyId, answeredAt, dismissedAt, isPermanent }) => ({
      surveyId,
      surveySlug: slugs.get(surveyId),
      ...(answeredAt > 0 && { answeredAt: timestamp(answeredAt) }),
      ...(dismissedAt > 0 && { dismissedAt: timestamp(dismissedAt) }),
      isPermanent,
    })),
    asks: records.asks.map(withSlug),
    runs: records.runs.map(withSlug),
  };
}
