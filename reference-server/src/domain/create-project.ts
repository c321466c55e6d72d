import { configChange } from "./apply-config.ts";
import { changeDirectory } from "./change-directory.ts";
import { randomSecrets } from "./project-secrets.ts";
import { UsageError } from "./usage-error.ts";
import { type GatingRules } from "../store/project.ts";
import { type Service } from "./service.ts";

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
  const change = await changeDirectory(service, (stored) => {
    if (stored.some(({ id }) => id === project.id)) {
      throw new UsageError(`There is a project "${project.id}" already: choose another id.`);
    }
    const created = configChange([{ ...project, surveys: [] }], [], material);
    return [created, created];
  });
  const { publishableKey } = change.keys.find(({ kind }) => kind === "publishable")!;
  return { ...project, publishableKey: publishableKey!, secretKey: change.secretKeys.get(project.id)! };
}
