import { startServer } from "@afterword/server";
import { freshPostgres } from "../postgres-database.ts";
import { type ApiWorld } from "./api-world.ts";
import { testClock } from "./test-clock.ts";

/** A database of its own in the PostgreSQL of the tests, and servers in this very process on it. */
export async function openPostgresWorld(server: string): Promise<ApiWorld> {
  const database = await freshPostgres(server);
  const clock = testClock();
  return {
    database,
    clock,
    async start(config) {
      const running = await startServer({ config, database, clock });
      return { baseUrl: running.url, projects: running.projects, stop: () => running.close() };
    },
    dispose: async () => undefined,
  };
}
