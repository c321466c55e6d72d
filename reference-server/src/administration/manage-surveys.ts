import { surveyChange, type DesiredSurvey } from "./apply-config.ts";
import { findProject } from "./manage-projects.ts";
import { UsageError } from "../domain/usage-error.ts";
import { type StoredProject, type SurveyRecord, type SurveyStatus } from "../store/project.ts";
import { type Service } from "../domain/service.ts";

function living(project: StoredProject): SurveyRecord[] {
  return project.surveys.filter((survey) => survey.deletedAt === undefined);
}

/** At the next start the config file would undo the change. */
function refuseConfigured(survey: SurveyRecord | undefined): void {
  if (survey?.managedBy !== "config" || survey.deletedAt !== undefined) return;
  throw new UsageError(`The survey "${survey.slug}" is defined in the config file: change it there.`);
}

function checkSlugs(project: StoredProject, wanted: readonly DesiredSurvey[]): void {
  const wantedIds = new Set(wanted.map(({ definition }) => definition.id));
  const taken = new Map(living(project).map((survey) => [survey.slug, survey.id]));
  for (const { definition } of wanted) {
    const id = taken.get(definition.slug);
    if (id === undefined || wantedIds.has(id)) continue;
    throw new UsageError(
      `The slug "${definition.slug}" belongs to the survey with the id "${id}": choose another.`,
    );
  }
}

const storedProject = (projects: readonly StoredProject[], id: string) =>
  projects.find((one) => one.id === id)!;

export interface ImportedSurvey {
  record: SurveyRecord;
  change: "created" | "changed" | "unchanged";
}

/** Creates or changes surveys by id, all or none; a new definition raises the version. */
export async function importSurveys(
  service: Service,
  projectId: string,
  wanted: readonly DesiredSurvey[],
): Promise<ImportedSurvey[]> {
  findProject(service.directory, projectId);
  return service.directory.change((projects) => {
    const project = storedProject(projects, projectId);
    checkSlugs(project, wanted);
    const imported = wanted.map((survey): ImportedSurvey => {
      const stored = project.surveys.find(({ id }) => id === survey.definition.id);
      refuseConfigured(stored);
      const [record] = surveyChange(projectId, survey, stored, "command");
      if (!record) return { record: stored!, change: "unchanged" };
      return { record, change: stored ? "changed" : "created" };
    });
    const changed = imported.filter(({ change }) => change !== "unchanged");
    return [{ surveys: changed.map(({ record }) => record) }, imported];
  });
}

/** Finds by slug or id. @throws UsageError that names the surveys there are */
export function findSurvey(project: StoredProject, name: string): SurveyRecord {
  const surveys = living(project);
  const found = surveys.find(({ slug }) => slug === name) ?? surveys.find(({ id }) => id === name);
  if (found) return found;
  const slugs = surveys.map(({ slug }) => slug);
  const known =
    slugs.length > 0 ? `Known surveys: ${slugs.join(", ")}.` : "There is none yet: run `survey import`.";
  throw new UsageError(`The project "${project.id}" has no survey "${name}". ${known}`);
}

/** Tokens that are out stay valid: a pause stops asking, not answering. */
export async function setSurveyStatus(
  service: Service,
  projectId: string,
  name: string,
  status: SurveyStatus,
): Promise<SurveyRecord> {
  findProject(service.directory, projectId);
  return service.directory.change((projects) => {
    const found = findSurvey(storedProject(projects, projectId), name);
    refuseConfigured(found);
    const record = { ...found, status };
    return [found.status === status ? {} : { surveys: [record] }, record];
  });
}
