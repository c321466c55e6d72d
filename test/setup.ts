import type { TestProject } from "vitest/node";
import { chromiumPath } from "./chromium.ts";
import { startPostgres } from "./postgres.ts";

/** Starts what is slow to start once for all stories, and hands it to them by `inject`. */
export default async function setup(project: TestProject) {
  project.provide("chromiumPath", await chromiumPath());
  const postgres = await startPostgres();
  project.provide("postgresUrl", postgres.url);
  return () => postgres.stop();
}

declare module "vitest" {
  export interface ProvidedContext {
    /** An executable Chromium, run with `--no-sandbox` alone. */
    chromiumPath: string;
    /** A real PostgreSQL that trusts everyone; make a database of your own in it. */
    postgresUrl: string;
  }
}
