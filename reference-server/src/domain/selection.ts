import { type ExportQuery } from "@afterword/protocol";
import { type Project } from "./project-directory.ts";
import { Refusal } from "./refusal.ts";
import { importedRespondentId } from "./respondent-hash.ts";

export interface Selection {
  respondentIds?: string[];
  /** Every survey that has this slug, deleted ones too. */
  surveyIds?: string[];
}

/** The respondents and surveys of a privacy request. An e-mail address becomes the id of the imported person. */
export function selectionOf(project: Project, query: ExportQuery): Selection {
  const respondentIds: string[] = [];
  if (query.respondentId !== undefined) respondentIds.push(query.respondentId);
  if (query.email !== undefined) {
    respondentIds.push(importedRespondentId(project.pepper, query.email));
  }
  return {
    ...(respondentIds.length > 0 && { respondentIds: [...new Set(respondentIds)] }),
    ...(query.surveySlug !== undefined && { surveyIds: surveyIdsOf(project, query.surveySlug) }),
  };
}

function surveyIdsOf(project: Project, slug: string): string[] {
  const ids = project.surveys.filter((survey) => survey.slug === slug).map((survey) => survey.id);
  if (ids.length > 0) return ids;
  throw new Refusal("survey_not_found", { detail: "No survey of this project has this slug." });
}
