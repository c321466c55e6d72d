import { Mistake } from "./mistake.ts";
import { type Project, type ProjectDirectory } from "./project-directory.ts";

/** @throws Mistake that names the projects there are */
export function findProject(directory: ProjectDirectory, id: string): Project {
  const project = directory.project(id);
  if (project) return project;
  const ids = directory.projects.map((one) => one.id);
  const known = ids.length > 0 ? `There is: ${ids.join(", ")}.` : "There is none yet: run `project create`.";
  throw new Mistake(`There is no project "${id}". ${known}`);
}
