import { type KeyObject } from "node:crypto";
import { keyedHash } from "@afterword/reference-server/internal";

/** 132 bits: enough to distinguish respondents. */
const hashLength = 22;

/** The subject of an act on all projects. */
export const everything = { respondents: [], isWholeProject: true, counts: {} } as const;

/** The subject of a privacy request for the audit log. Respondents are hashed: only a known id can be found again. */
export function auditedSelection(
  { id: projectId, pepper }: { id: string; pepper: KeyObject },
  { respondentIds = [], surveySlug }: { respondentIds?: readonly string[]; surveySlug?: string },
) {
  const respondents = respondentIds.map((id) =>
    keyedHash(pepper, `audit/${id}`).toString("base64url").slice(0, hashLength),
  );
  const isWholeProject = respondents.length === 0 && surveySlug === undefined;
  return { projectId, respondents, ...(surveySlug !== undefined && { surveySlug }), isWholeProject };
}
