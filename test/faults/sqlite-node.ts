import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { project, survey } from "../conformance/api/projects.ts";
import { endIdleNodes } from "./node-process.ts";
import type { NodeOrder } from "./node-program.ts";

/**
 * The order for a node on a database file of its own, with the project `p` and its surveys `a` and `b`. Behind the tests
 * of the file the folder is removed, and nodes that wait are ended.
 */
export function sqliteNode(name: string): NodeOrder {
  const folder = mkdtempSync(join(tmpdir(), `afterword-${name}-`));
  afterAll(() => {
    endIdleNodes();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    database: join(folder, "afterword.db"),
    config: { rateLimits: false, projects: [project("p", { surveys: [survey("a"), survey("b")] })] },
  };
}
