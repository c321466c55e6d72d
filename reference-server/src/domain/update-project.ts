import { changeDirectory } from "./change-directory.ts";
import { findProject } from "./find-project.ts";
import { type GatingRules, type ProjectRecord } from "../store/project.ts";
import { type Service } from "./service.ts";

/** What is absent stays as it is; a rule of gating that is 0 is switched off. */
export interface ProjectUpdate {
  name?: string;
  allowedOrigins?: string[];
  /** Beside those that there are, or that `allowedOrigins` names. */
  addedOrigins?: string[];
  gating: GatingRules;
}

function withRules(current: GatingRules, wanted: GatingRules): GatingRules {
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
  return changeDirectory(service, (projects) => {
    const { keys: _keys, surveys: _surveys, ...current } = projects.find(({ id }) => id === projectId)!;
    const { name = current.name, allowedOrigins = current.allowedOrigins, addedOrigins = [] } = update;
    const origins = [...new Set([...allowedOrigins, ...addedOrigins])];
    const gating = withRules(current.gating, update.gating);
    const record = { ...current, name, allowedOrigins: origins, gating };
    return [{ projects: [record] }, record];
  });
}
