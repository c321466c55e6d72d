import { type Project, type ProjectDirectory } from "../domain/project-directory.ts";
import { UsageError } from "../domain/usage-error.ts";
import { type StoredProject, type SurveyRecord } from "../store/project.ts";

/** @throws UsageError that names the projects there are */
export function findProject(directory: ProjectDirectory, id: string): Project {
  const project = directory.project(id);
  if (project) return project;
  const ids = directory.projects.map((one) => one.id);
  const known =
    ids.length > 0 ? `Known projects: ${ids.join(", ")}.` : "There is none yet: run `project create`.";
  throw new UsageError(`There is no project "${id}". ${known}`);
}

/** Finds by slug or id. @throws UsageError that names the surveys there are */
export function findSurvey(project: StoredProject, name: string): SurveyRecord {
  const surveys = project.surveys.filter((survey) => survey.deletedAt === undefined);
  const found = surveys.find(({ slug }) => slug === name) ?? surveys.find(({ id }) => id === name);
  if (found) return found;
  const slugs = surveys.map(({ slug }) => slug);
  const known = slugs.length > 0 ? `Known surveys: ${slugs.join(", ")}.` : "There is none yet: run `apply`.";
  throw new UsageError(`The project "${project.id}" has no survey "${name}". ${known}`);
}
