import { type ExportQuery } from "@afterword/protocol";
import { type Project } from "./project-directory.ts";
import { Refusal } from "./refusal.ts";
import { importedRespondentId } from "./respondent-hash.ts";

export interface Selection {
  respondentIds?: string[];
  surveySlug?: string;
  /** Every survey that has this slug, deleted ones too. */
  surveyIds?: string[];
}

/** The respondents and surveys of a privacy request. An e-mail address becomes the id of the imported person. */
export function selectionOf(project: Project, { respondentId, email, surveySlug }: ExportQuery): Selection {
  const respondentIds = new Set<string>();
  if (respondentId !== undefined) respondentIds.add(respondentId);
  if (email !== undefined) respondentIds.add(importedRespondentId(project.pepper, email));
  return {
    ...(respondentIds.size > 0 && { respondentIds: [...respondentIds] }),
    ...(surveySlug !== undefined && { surveySlug, surveyIds: surveyIdsOf(project, surveySlug) }),
  };
}

function surveyIdsOf(project: Project, slug: string): string[] {
  const ids = project.surveys.filter((survey) => survey.slug === slug).map((survey) => survey.id);
  if (ids.length > 0) return ids;
  throw new Refusal("survey_not_found", { detail: "No survey of this project has this slug." });
}
