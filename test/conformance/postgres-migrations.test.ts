import { readdirSync, readFileSync } from "node:fs";
import { openStore } from "@afterword/reference-server";
import { describe, expect, inject, it } from "vitest";
import { asOperator, freshPostgres } from "./postgres-database.ts";
import { exportOf, hashOf, linked, pageOf, token } from "./store-world.ts";

const folder = new URL("./postgres-versions/", import.meta.url);
/** Each goes on where the one before it ends. */
const dumps = readdirSync(folder).toSorted();

const newestVersion = async (database: string) => {
  const { rows } = await asOperator(database, (client) => client.query("SELECT version FROM schema_version"));
  expect(rows).toHaveLength(1);
  return rows[0].version as number;
};

/** A database as a server of an earlier version left it. */
async function databaseOf(dump: string): Promise<string> {
  const database = await freshPostgres(inject("postgresUrl"));
  const steps = dumps
    .slice(0, dumps.indexOf(dump) + 1)
    .map((step) => readFileSync(new URL(step, folder), "utf8"));
  await asOperator(database, (client) => client.query(steps.join("")));
  return database;
}

describe("a PostgreSQL database of an earlier version", () => {
  it("there is a dump of every version but the newest", async () => {
    const fresh = await freshPostgres(inject("postgresUrl"));
    await (await openStore(fresh)).close();
    const newest = await newestVersion(fresh);
    expect(dumps).toEqual(Array.from({ length: newest - 1 }, (_, index) => `${index + 1}.sql`));
  });

  it.each(dumps)("%s is lifted to the newest, with everything that it held", async (dump) => {
    const database = await databaseOf(dump);
    const store = await openStore(database);
    expect(await newestVersion(database)).toBe(dumps.length + 1);
    const [project] = await store.readDirectory();
    expect(project).toMatchObject({ id: "kept", epoch: 3, gating: { monthlyCap: 2 }, secrets: "00ff" });
    expect(project).toMatchObject({
      keys: [{ id: "key-1" }],
      surveys: [{ id: "survey-1", version: 4, maximum: 100 }],
    });
    const { rows } = await exportOf(store, { projectId: "kept" });
    expect(rows).toMatchObject([{ id: "response-1", text: "Good.", rating: 5, traits: '{"plan":"pro"}' }]);
    const { suppression, responseCounts } = await store.askFacts("kept", {
      respondentHash: hashOf("ada"),
      countedSurveyIds: ["survey-1"],
    });
    expect(suppression).toMatchObject([{ surveyId: "survey-1", isPermanent: false }]);
    expect(responseCounts.get("survey-1")).toBe(1);
    const tokenId = Uint8Array.from({ length: 16 }, (_, index) => index);
    const again = linked("kept", { token: { ...token("kept", 3), tokenId } });
    expect(await store.submit(again)).toMatchObject({ outcome: "spent", existing: { id: "response-1" } });
    expect(await store.submit(linked("kept", { token: token("kept", 3) }))).toEqual({ outcome: "stored" });
    expect(await pageOf(store, "kept")).toHaveLength(2);
    expect(await store.sharedQuotas?.take([])).toEqual([]);
    await store.close();
  });

  it("of version 5 keeps its suppression, for good where it was erased, and counts what it counted", async () => {
    const store = await openStore(await databaseOf("5.sql"));
    const factsOf = (name: string) => store.askFacts("kept", { respondentHash: hashOf(name), mostAsks: 9 });
    const last = 1_700_000_000_009;
    const earlier = { surveyId: "survey-1", at: 1_700_000_000_002, times: 1 };
    expect(await factsOf("ada")).toMatchObject({
      suppression: [{ surveyId: "survey-1", answeredAt: last, dismissedAt: last, isPermanent: false }],
      asks: [{ surveyId: "survey-1", at: last, times: 2 }, earlier],
    });
    expect((await factsOf("erased##########")).suppression).toMatchObject([{ isPermanent: true }]);
    await store.close();
  });

  it.each(dumps)(
    "%s is left as it is where it may not be lifted, and both versions are named",
    async (dump) => {
      const database = await databaseOf(dump);
      const found = dumps.indexOf(dump) + 1;
      for (const change of ["none", "create"] as const) {
        const refused = `has version ${found} and this server knows ${dumps.length + 1}: stop the servers`;
        await expect(openStore(database, change)).rejects.toThrow(refused);
      }
      expect(await newestVersion(database)).toBe(found);
    },
  );

  it("nothing is made in an empty one by a look, and everything where it may be created", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    await expect(openStore(database, "none")).rejects.toThrow("has version 0");
    const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";
    const { rows } = await asOperator(database, (client) => client.query(tables));
    expect(rows).toEqual([]);
    await (await openStore(database, "create")).close();
    await (await openStore(database, "none")).close();
  });

  it.each(dumps)("%s is lifted once when several servers start on it at once", async (dump) => {
    const database = await databaseOf(dump);
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(database)));
    expect(await newestVersion(database)).toBe(dumps.length + 1);
    await Promise.all(stores.map((store) => store.ping().then(() => store.close())));
  });
});
