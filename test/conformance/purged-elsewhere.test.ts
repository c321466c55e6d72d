import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp, openStore, startServer } from "@afterword/server";
import { describe, expect, inject, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "./api/projects.ts";
import { freshPostgres } from "./postgres-database.ts";

const config = { rateLimits: false as const, projects: [project("p")] };
const masterKey = "5a".repeat(32);

describe("a process that does not know yet that another has purged the project", () => {
  it.each([
    ["SQLite", (folder: string) => join(folder, "a.db")],
    ["PostgreSQL", () => freshPostgres(inject("postgresUrl"))],
  ])("on %s issues valid tokens, also without a respondent", async (_, databaseIn) => {
    const folder = mkdtempSync(join(tmpdir(), "afterword-purged-"));
    const database = await databaseIn(folder);
    {
      await using server = await startServer({ config, database, masterKey });
      // Commands work beside a server in the same way.
      const store = await openStore(database);
      const other = await createApp({ config, store, masterKey: Buffer.from(masterKey, "hex") });
      const headers = { authorization: `Bearer ${keysOf("p").secretKey}` };
      const client = new ApiClient(server.url, keysOf("p"));
      for (const userId of ["ann", undefined]) {
        const path = "/v1/privacy/erase?account=true";
        expect((await other.app.request(path, { method: "DELETE", headers })).status).toBe(200);
        const showToken = await client.unboundToken("p-nps", userId);
        const { status } = await client.submit({ showToken, surveyId: "p-nps", rating: 3 });
        expect([userId, status]).toEqual([userId, 201]);
      }
      await store.close();
    }
    rmSync(folder, { recursive: true });
  });
});
