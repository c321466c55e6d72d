import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@afterword/reference-server";
import { describe, expect, inject, it } from "vitest";
import { ApiClient } from "./api/api-client.ts";
import { keysOf, project } from "./api/projects.ts";
import { freshPostgres } from "./postgres-database.ts";

const config = { rateLimits: false as const, projects: [project("p")] };
const masterKey = "5a".repeat(32);

describe("a process that does not know yet that another has purged the project", () => {
  it.each([
    ["SQLite", (folder: string) => join(folder, "a.db")],
    ["PostgreSQL", () => freshPostgres(inject("postgresUrl"))],
  ])("on %s issues tokens that are good, also to nobody in particular", async (_, databaseIn) => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-purged-"));
    const database = await databaseIn(folder);
    {
      await using one = await startServer({ config, database, masterKey });
      await using other = await startServer({ config, database, masterKey });
      const [here, there] = [one, other].map(({ url }) => new ApiClient(url, keysOf("p"))) as [
        ApiClient,
        ApiClient,
      ];
      for (const userId of ["ann", undefined]) {
        expect((await there.erase({ account: "true" })).status).toBe(200);
        const showToken = await here.unboundToken("p-nps", userId);
        const { status } = await here.submit({
          showToken,
          surveyId: "p-nps",
          rating: 3,
        });
        expect([userId, status]).toEqual([userId, 201]);
      }
    }
    rmSync(folder, { recursive: true });
  });
});
