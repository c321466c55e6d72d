import { openStore, startServer } from "@afterword/server";
import { type Client } from "pg";
import { describe, expect, inject, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project as projectConfig } from "./api/projects.ts";
import { asOperator, freshPostgres } from "./postgres-database.ts";
import { addProject, dismissal, exportOf, hashOf, idsOf, response } from "./store-world.ts";

const touched = ["asks", "dismissals", "responses", "runs", "spent_tokens", "suppression"];
const ada = { id: "ada", hash: hashOf("ada") };
const dayInMs = 24 * 60 * 60_000;

/** Resolves when some statement of the database waits for a lock. */
async function somebodyWaits(operator: Client): Promise<void> {
  const question =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  for (let looks = 0; looks < 10_000; looks++) if ((await operator.query(question)).rowCount) return;
  throw new Error("No session waits for a lock.");
}

describe("erasing on PostgreSQL", () => {
  it("vacuums every table that held something of the person", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    const store = await openStore(database);
    const project = await addProject(store);
    await store.submit(response(project, { text: "to be forgotten" }));
    await store.erase({ projectId: project, respondents: [ada] });
    const { rows } = await asOperator(database, (client) =>
      client.query("SELECT relname FROM pg_stat_user_tables WHERE last_vacuum IS NOT NULL ORDER BY relname"),
    );
    expect(rows.map(({ relname }) => relname as string)).toEqual(touched);
    await store.close();
  });

  it.each([
    ["a person", { respondentId: "ada" }],
    ["a survey", { surveySlug: "p-nps-slug" }],
    ["the account", { account: "true" }],
  ])("of %s says where erased bytes linger: in freed pages, the log and backups", async (_, selector) => {
    const database = await freshPostgres(inject("postgresUrl"));
    const config = { rateLimits: false as const, projects: [projectConfig("p")] };
    await using server = await startServer({ config, database });
    const { note } = (await new ApiClient(server.url, keysOf("p")).erase(selector)).json;
    expect(note).toMatch(/Freed space .* until new rows take it or VACUUM FULL is run/);
    expect(note).toMatch(/write-ahead log, replicas and backups/);
  });

  it("keeps no moment of what it erased, whatever the person answers while it is under way", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    const store = await openStore(database);
    const project = await addProject(store);
    await store.submit(response(project));
    await store.dismiss(dismissal(project));
    const later = response(project, { surveyId: "survey-2" });
    await asOperator(database, async (operator) => {
      await operator.query("BEGIN");
      await operator.query("SELECT FROM dismissals FOR UPDATE");
      const erasure = store.erase({ projectId: project, respondents: [ada] });
      await somebodyWaits(operator);
      await store.submit(later);
      await operator.query("COMMIT");
      expect(await erasure).toMatchObject({ responsesDeleted: 1, dismissalsDeleted: 1 });
    });
    expect(idsOf((await exportOf(store, { projectId: project })).rows)).toEqual([later.id]);
    const { suppression } = await store.askFacts(project, { respondentHash: ada.hash });
    const times = suppression.map((one) => [
      one.surveyId,
      one.answeredAt % dayInMs,
      one.dismissedAt % dayInMs,
    ]);
    expect(times.toSorted()).toEqual([
      ["survey-1", 0, 0],
      ["survey-2", 0, 0],
    ]);
    await store.close();
  });

  it("is done when it is committed, also where the vacuum cannot be", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    const url = new URL(database);
    // No statement may take that long; short ones do not, a vacuum that has to wait for a lock does.
    url.searchParams.set("statement_timeout", "500");
    const store = await openStore(url.href);
    const project = await addProject(store);
    await store.submit(response(project));
    const counts = await asOperator(database, async (operator) => {
      await operator.query("BEGIN");
      await operator.query("LOCK TABLE responses IN SHARE UPDATE EXCLUSIVE MODE");
      const erased = await store.erase({ projectId: project, respondents: [ada] });
      await operator.query("ROLLBACK");
      return erased;
    });
    expect(counts).toMatchObject({ responsesDeleted: 1, suppressionRetained: 1 });
    await store.close();
  });
});
