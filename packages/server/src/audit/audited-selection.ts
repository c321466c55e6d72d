import { type EraseQuery } from "@afterword/protocol";
import { keyedHash, type Project, selectionOf } from "@afterword/reference-server/internal";

/** 132 bits: enough to distinguish respondents. */
const hashLength = 22;

/** The subject of a privacy request for the audit log. Respondents are hashed: only a known id can be found again. */
export function auditedSelection(project: Project, query: EraseQuery) {
  const { respondentIds = [] } = selectionOf(project, query);
  const respondents = respondentIds.map((id) =>
    keyedHash(project.pepper, `audit/${id}`).toString("base64url").slice(0, hashLength),
  );
  const { surveySlug } = query;
  const isWholeProject = respondents.length === 0 && surveySlug === undefined;
  return { respondents, ...(surveySlug !== undefined && { surveySlug }), isWholeProject };
}
