import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import all from "../vitest.config.ts";
import { groups } from "./groups.ts";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const { tests } = groups[process.env["MUTATED_GROUP"]!]!;
const known = all.test!.projects as TestProjectInlineConfiguration[];

// Each mutant has its own worker, which loads a module once for all test files. A test that hangs fails before Stryker's limit, since
// that costs a new process.
const projectOf = (name: string, include: string[], options: object = {}): TestProjectInlineConfiguration => {
  const project = known.find(({ test }) => test?.name === name)!;
  return { ...project, test: { ...project.test, include, testTimeout: 5000, ...options } };
};

const options = { node: { setupFiles: here("fixed-seed.ts") } } as Record<string, object>;

/** The tests of one group, which run.ts names. */
export default defineConfig({
  root: here("../.."),
  test: {
    projects: Object.entries(tests).map(([name, include]) => projectOf(name, include, options[name])),
  },
});
