import { UsageError } from "./usage-error.ts";
import { type Project, type ProjectDirectory } from "./project-directory.ts";

/** @throws UsageError that names the projects there are */
export function findProject(directory: ProjectDirectory, id: string): Project {
  const project = directory.project(id);
  if (project) return project;
  const ids = directory.projects.map((one) => one.id);
  const known = ids.length > 0 ? `There is: ${ids.join(", ")}.` : "There is none yet: run `project create`.";
  throw new UsageError(`There is no project "${id}". ${known}`);
}
