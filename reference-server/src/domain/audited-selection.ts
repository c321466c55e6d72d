import { type EraseQuery } from "@afterword/protocol";
import { keyedHash } from "./service-secrets.ts";
import { type Project } from "./project-directory.ts";
import { selectionOf } from "./selectors.ts";
import { type Service } from "./service.ts";

/** Enough to find the line of a person whose id is known, and to tell persons apart. */
const hashLength = 22;

/** Whom a privacy request was about, told so that only who knows the id already can recognise it. */
export function auditedSelection(service: Service, project: Project, query: EraseQuery) {
  const { respondentIds = [] } = selectionOf(service, project, query);
  const pepper = service.secrets.pepper(project.id, project.pepperSalt);
  const respondents = respondentIds.map((id) =>
    keyedHash(pepper, `audit/${id}`).toString("base64url").slice(0, hashLength),
  );
  const { surveySlug } = query;
  const isWholeProject = respondents.length === 0 && surveySlug === undefined;
  return { respondents, ...(surveySlug !== undefined && { surveySlug }), isWholeProject };
}
