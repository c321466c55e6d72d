import { type ScoredRun } from "@afterword/protocol";
import { type Project, type ProjectDirectory } from "../domain/project-directory.ts";
import { type StoredProject, type SurveyRecord } from "../store/project.ts";
import { newRecordId } from "../domain/ids-and-times.ts";
import { UsageError } from "../domain/usage-error.ts";
import { type Service } from "../domain/service.ts";
import { sealShowToken } from "../domain/show-token.ts";
import { submitResponse } from "../domain/spend-token.ts";

/** An answer of a test's data; all but the rating has a default. */
export interface SeedResponse {
  /** Within the scale of the survey's type. */
  rating: number;
  text?: string;
  /** Id or slug. Default: the project's first active survey. */
  survey?: string;
  /** Default: a new person. */
  respondentId?: string;
  /** The run that it is linked to, so that it waits in the queue of scores. Default: a new one; `null` links none. */
  sessionId?: string | null;
  observationId?: string;
  taskType?: string;
  /** The facts of the run that its token attests, and how it was drawn. Default: none. */
  run?: ScoredRun;
}

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

/**
 * Stores answers as if people had given them, whatever gating says.
 * @returns their ids, in the order given
 * @throws UsageError for an unknown project or survey, Refusal for a rating off the survey's scale; the others are stored
 */
export async function seedResponses(
  service: Service,
  projectId: string,
  responses: readonly SeedResponse[],
): Promise<string[]> {
  const project = findProject(service.directory, projectId);
  const stored = responses.map(async ({ survey: name, rating, text, run, ...session }) => {
    const survey = name === undefined ? project.activeSurveys[0] : findSurvey(project, name);
    if (!survey)
      throw new UsageError(`The project ${projectId} has no active survey: name one by \`survey\`.`);
    const { respondentId = `person-${crypto.randomUUID()}`, sessionId = `run-${crypto.randomUUID()}` } =
      session;
    const issuedAt = service.clock.now();
    const expiresAt = issuedAt + service.lifetimes.boundInMs;
    const { observationId, taskType } = session;
    const binding = sessionId === null ? { taskType } : { sessionId, observationId, taskType };
    const issue = { epoch: project.epoch, issuedAt, expiresAt, respondentId, ...binding };
    const payload = { ...issue, tokenId: newRecordId(expiresAt), surveyId: survey.id, run };
    const showToken = sealShowToken(service.masterKeys, projectId, payload);
    const body = { showToken, surveyId: survey.id, rating, text };
    return (await submitResponse({ service, project, body })).id;
  });
  // A refused one must not leave the others under way.
  await Promise.allSettled(stored);
  return Promise.all(stored);
}
