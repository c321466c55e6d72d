import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@afterword/reference-server";
import { type ApiWorld } from "./api-world.ts";
import { testClock } from "./test-clock.ts";

/** One file in a folder of its own, and servers in this very process on it. */
export async function openSqliteWorld(): Promise<ApiWorld> {
  const folder = mkdtempSync(join(tmpdir(), "afterword-api-"));
  const database = join(folder, "afterword.db");
  const clock = testClock();
  return {
    database,
    clock,
    async start(config) {
      const server = await startServer({ config, database, clock });
      return { baseUrl: server.url, projects: server.projects, stop: () => server.close() };
    },
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
