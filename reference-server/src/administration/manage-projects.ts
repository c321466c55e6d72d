import { configChange } from "./apply-config.ts";
import { randomSecrets } from "../domain/project-secrets.ts";
import { type Project, type ProjectDirectory } from "../domain/project-directory.ts";
import { UsageError } from "../domain/usage-error.ts";
import { type GatingRules, type ProjectRecord } from "../store/project.ts";
import { type Service } from "../domain/service.ts";

/** @throws UsageError that names the projects there are */
export function findProject(directory: ProjectDirectory, id: string): Project {
  const project = directory.project(id);
  if (project) return project;
  const ids = directory.projects.map((one) => one.id);
  const known =
    ids.length > 0 ? `Known projects: ${ids.join(", ")}.` : "There is none yet: run `project create`.";
  throw new UsageError(`There is no project "${id}". ${known}`);
}

export interface NewProject {
  id: string;
  name: string;
  allowedOrigins: string[];
  gating: GatingRules;
}

/** The only moment at which the secret key can be read. */
export interface CreatedProject extends NewProject {
  publishableKey: string;
  secretKey: string;
}

/** Creates a project with one key of each kind. @throws UsageError when the id is taken */
export async function createProject(service: Service, project: NewProject): Promise<CreatedProject> {
  const newSecrets = (id: string) => service.masterKeys.seal(id, randomSecrets());
  const material = { now: service.clock.now(), newSecrets };
  const change = await service.directory.change((stored) => {
    if (stored.some(({ id }) => id === project.id)) {
      throw new UsageError(`The project "${project.id}" already exists: choose another id.`);
    }
    const created = configChange([{ ...project, surveys: [] }], [], material);
    return [created, created];
  });
  const { publishableKey } = change.keys.find(({ kind }) => kind === "publishable")!;
  return { ...project, publishableKey: publishableKey!, secretKey: change.secretKeys.get(project.id)! };
}

/** What is absent stays as it is; a rule of gating that is 0 is switched off. */
export interface ProjectUpdate {
  name?: string;
  allowedOrigins?: string[];
  /** Beside those that there are, or that `allowedOrigins` names. */
  addedOrigins?: string[];
  gating: GatingRules;
}

/** Rules with what is wanted in their place; those that are off are absent. */
export function withRules(current: GatingRules, wanted: GatingRules): GatingRules {
  const rules = Object.entries({ ...current, ...wanted }).filter(([, value]) => value > 0);
  return Object.fromEntries(rules);
}

/** Changes a project that commands made; what a config file lists is set back by it at the next start. */
export async function updateProject(
  service: Service,
  projectId: string,
  update: ProjectUpdate,
): Promise<ProjectRecord> {
  findProject(service.directory, projectId);
  return service.directory.change((projects) => {
    const { keys: _keys, surveys: _surveys, ...current } = projects.find(({ id }) => id === projectId)!;
    const { name = current.name, allowedOrigins = current.allowedOrigins, addedOrigins = [] } = update;
    const origins = [...new Set([...allowedOrigins, ...addedOrigins])];
    const gating = withRules(current.gating, update.gating);
    const record = { ...current, name, allowedOrigins: origins, gating };
    return [{ projects: [record] }, record];
  });
}
