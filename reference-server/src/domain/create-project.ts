import { randomBytes } from "node:crypto";
import { configChange, startMaterial, type DesiredProject } from "./apply-config.ts";
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
  const desired: DesiredProject = { ...project, surveys: [] };
  // Outside of the decision, which may be made more than once.
  const material = startMaterial(
    [desired],
    service.clock.now(),
    (size) => randomBytes(size).toString("hex"),
    (id) => service.masterKeys.seal(id, randomSecrets()),
  );
  await service.store.changeDirectory((stored) => {
    if (stored.some(({ id }) => id === project.id)) {
      throw new UsageError(`There is a project "${project.id}" already: choose another id.`);
    }
    return configChange([desired], [], material);
  });
  await service.directory.refresh();
  const { publishableKey, secretKey } = material.generated.get(project.id)!;
  return { ...project, publishableKey, secretKey };
}
