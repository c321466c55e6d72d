import { writeFileSync } from "node:fs";
import { describe, expect, inject, it } from "vitest";
import { freshPostgres } from "../conformance/postgres-database.ts";
import { isFullProof } from "../faults/proof-scale.ts";
import { ServerFolder, type ServerProgram } from "./server-program.ts";

const survey = {
  id: "s",
  slug: "satisfaction",
  type: "csat",
  question: "How?",
  presentation: "corner",
  trigger: "manual",
};

const databases: [string, () => Promise<string>][] = [
  ["SQLite", async () => "afterword.db"],
  ["PostgreSQL", () => freshPostgres(inject("postgresUrl"))],
];

interface Keys {
  publishableKey: string;
  secretKey: string;
}

interface Result extends Keys {
  responses: object[];
  findings: { name: string; isGood: boolean }[];
  keys: { id: string; kind: string }[];
}

const json = { "content-type": "application/json" };

const mint = (server: ServerProgram, secretKey: string, respondentId: string) =>
  fetch(`${server.url}/v1/sdk/tokens`, {
    method: "POST",
    headers: { ...json, "x-service-key": secretKey },
    body: JSON.stringify({ respondentId, sessionId: `run of ${respondentId}` }),
  });

async function answer(server: ServerProgram, keys: Keys, respondentId: string, text: string) {
  const { tokens } = (await (await mint(server, keys.secretKey, respondentId)).json()) as {
    tokens: { s: string };
  };
  const body = { key: keys.publishableKey, showToken: tokens.s, surveyId: "s", rating: 4, text };
  return fetch(`${server.url}/v1/sdk/responses`, {
    method: "POST",
    headers: json,
    body: JSON.stringify(body),
  });
}

/** Looks again for as long as a change may take to reach a running server. */
async function eventually(isSo: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

// The commands have their own tests, and those of docs/operate are run beside a server as they stand there.
describe.runIf(isFullProof).each(databases)(
  "the commands beside a running server on %s",
  (_, freshDatabase) => {
    it("manage a project from creation to purge", async () => {
      using folder = new ServerFolder();
      const db = ["--db", await freshDatabase()];
      const run = async (...words: string[]) => {
        const { code, out, error } = await folder.run(...words, ...db, "--json");
        return { code, error, result: (out ? JSON.parse(out) : undefined) as Result };
      };
      const keys = (await run("project", "create", "shop", "--origin", "*")).result;
      await using server = await folder.serve(...db);
      // What another process changes reaches the server by itself.
      const surveys = [{ ...survey, status: "active" }];
      const shop = { id: "shop", name: "shop", allowedOrigins: ["*"], surveys };
      writeFileSync(folder.file("shop.json"), JSON.stringify({ projects: [shop] }));
      await run("apply", "shop.json");
      expect(await eventually(async () => (await answer(server, keys, "ada", "Fine")).status === 201)).toBe(
        true,
      );

      writeFileSync(folder.file("a.csv"), "email,rating,at\nbob@example.com,2,2020-01-01T00:00:00Z\n");
      const imported = await run("responses", "import", "shop", "a.csv", "--survey", "satisfaction");
      expect(imported.result).toMatchObject({ added: 1, alreadyThere: 0 });
      expect((await run("responses", "import", "shop", "a.csv", "--survey", "s")).result).toMatchObject({
        added: 0,
      });

      const report = (await run("subject-report", "shop", "--respondent", "ada")).result;
      expect(report.responses).toMatchObject([
        { text: "Fine", sessionId: "run of ada", scoreState: "pending" },
      ]);
      expect(
        (await run("subject-report", "shop", "--email", "BOB@example.com")).result.responses,
      ).toHaveLength(1);

      expect((await run("retention", "--yes")).result).toEqual({
        responsesDeleted: 1,
        dismissalsDeleted: 0,
        textsRemoved: 0,
        runsForgotten: 0,
      });

      const doctor = await run("doctor", "--erasure-log", "erasures.jsonl", "--url", server.url);
      const wrong = doctor.result.findings.filter(({ isGood }) => !isGood);
      // The PostgreSQL of the tests does without fsync, which doctor is right to say.
      expect(
        wrong.map(({ name }) => name).filter((name) => !/fsync|durab|synchronous|master key/.test(name)),
      ).toEqual([]);

      const { result: list } = await run("key", "list", "shop");
      const secret = list.keys.find(({ kind }) => kind === "secret")!;
      expect((await run("key", "revoke", secret.id, "--yes")).code).toBe(0);
      const isRefused = async () => (await mint(server, keys.secretKey, "cyd")).status === 401;
      expect(await eventually(isRefused)).toBe(true);

      const purged = (await run("project", "purge", "shop", "--yes", "--erasure-log", "erasures.jsonl"))
        .result;
      expect(purged).toMatchObject({ mode: "account", responsesDeleted: 1 });
    });
  },
);

describe("backup on PostgreSQL", () => {
  it("says which tool of PostgreSQL does it", async () => {
    using folder = new ServerFolder();
    const database = await freshPostgres(inject("postgresUrl"));
    await folder.run("project", "create", "shop", "--db", database);
    const { code, error } = await folder.run("backup", "copy.db", "--db", database);
    expect(code).toBe(3);
    expect(error).toContain("pg_dump --format=custom");
  });
});
