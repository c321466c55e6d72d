import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@afterword/reference-server";
import Database from "better-sqlite3";
import { afterAll, describe, expect, inject, it } from "vitest";
import { asOperator, freshPostgres } from "./postgres-database.ts";

// `sqlite-versions/4.sql` is a dump of what the last version without sealed secrets left of a real server's day. Ann and Bob
// answered both surveys in a run, Eve too and was erased, Mia was imported, and Zoe's token is unused.
const dump = readFileSync(new URL("sqlite-versions/4.sql", import.meta.url), "utf8");
const masterKey = "5a".repeat(32);
const clock = { now: () => 1_795_179_600_000 };
const keys = { publishable: `aw_pk_${"p".repeat(43)}`, secret: `aw_sk_${"s".repeat(43)}` };
const salt = "9030005be4c2add07539e941d6f68ec5";
const firstCursor = "AQAAAAAAAQDW5F1gvK6-wDvyXE4rrSBC";
const showToken = [
  "st2.g15.HcK6efg4n-33G8f-LWpKH6c4Y8hzdmgyJLIcoXHS901z91isHlITa7nKKD3EiNm283ClmgSixjozygRO-TnQHQA9AFTZsK72zTZVn3",
  "qq0skyeeeCLNk_y7I0bP9UNqPab77ZTWcXgxqVYiarp_ynaitC-pXC6gHR3owe2rocFoYlA_dK3859CYxjjt1Q0-EaD2lz3u9jaz1rtyV8I681",
  "jCcI3ONebmvgcoXJtozlyHwaJHS_jTlexcvV8rwWs83yDq3zz6slbsA",
].join("");

/** What the replies of this test have between them. */
interface Reply {
  tokens: Record<string, string>;
  scores: object[];
  responses: object[];
}

const folder = mkdtempSync(join(tmpdir(), "afterword-earlier-"));
afterAll(() => rmSync(folder, { recursive: true }));

const onSqlite = async () => {
  const path = join(folder, "a.db");
  const database = new Database(path);
  database.exec(dump);
  database.close();
  return path;
};

/** The same rows in the tables that PostgreSQL had at the time. */
async function onPostgres(): Promise<string> {
  const database = await freshPostgres(inject("postgresUrl"));
  const versions = new URL("postgres-versions/", import.meta.url);
  const schema = [1, 2, 3, 4, 5, 6].map((version) =>
    readFileSync(new URL(`${version}.sql`, versions), "utf8"),
  );
  const all =
    "projects, keys, surveys, agreements, spent_tokens, responses, dismissals, asks, suppression, runs";
  const empty = `TRUNCATE ${all}, response_counts, clean_up, directory;`;
  const next = "SELECT setval(pg_get_serial_sequence('responses', 'sequence'), 100);";
  const rows = dump
    .split("\n")
    .filter((line) => line.startsWith("INSERT"))
    .map((line) =>
      line
        .replaceAll(/X'([0-9a-f]+)'/g, String.raw`'\x$1'`)
        .replace(/(INTO responses \(.*?\))/, "$1 OVERRIDING SYSTEM VALUE")
        .replace(
          "(project_id, survey_id, responses) VALUES (",
          "(shard, project_id, survey_id, responses) VALUES (0, ",
        ),
    );
  await asOperator(database, (client) => client.query([...schema, empty, ...rows, next].join("\n")));
  return database;
}

describe.each([
  [
    "SQLite",
    onSqlite,
    async (path: string) => new Database(path).prepare("SELECT secrets FROM projects").all(),
  ],
  [
    "PostgreSQL",
    onPostgres,
    async (url: string) =>
      (await asOperator(url, (client) => client.query("SELECT secrets FROM projects"))).rows,
  ],
] as const)("a %s database from before secrets were sealed", (_, create, secretsOf) => {
  it("keeps suppression, runs, tokens, cursors and ids of imported people, and loses the salt", async () => {
    const database = await create();
    // The second start finds sealed secrets alone.
    for (const start of [1, 2]) {
      await using server = await startServer({ database, masterKey, clock });
      const call = async (method: string, path: string, body?: object) => {
        const type = {
          authorization: `Bearer ${keys.secret}`,
          ...(body && { "content-type": "application/json" }),
        };
        const reply = await fetch(server.url + path, {
          method,
          headers: type,
          body: body && JSON.stringify(body),
        });
        return { status: reply.status, json: (await reply.json()) as Reply };
      };
      const offered = async (respondentId: string, sessionId: string) =>
        Object.keys((await call("POST", "/v1/sdk/tokens", { respondentId, sessionId })).json.tokens);
      expect(await offered("ann", "run-ann")).toEqual([]);
      expect(await offered("ann", "another run")).toEqual(["each"]);
      expect(await offered("eve", "another run")).toEqual([]);
      expect(await offered("new", "run-new")).toEqual(["each", "once"]);
      const page = await call("GET", `/v1/sdk/pending-scores?cursor=${firstCursor}`);
      expect(page.json.scores[0]).toMatchObject({ sessionId: "run-ann", surveyId: "each" });
      const imported = await call("GET", "/v1/privacy/export?email=mia@example.com");
      expect(imported.json.responses).toMatchObject([{ rating: 3 }]);
      const submitted = { key: keys.publishable, showToken, surveyId: "once", rating: 2 };
      expect((await call("POST", "/v1/sdk/responses", submitted)).status).toBe(start === 1 ? 201 : 409);
      expect(await offered("zoe", "another run")).toEqual(["each"]);
    }
    const [{ secrets }] = (await secretsOf(database)) as [{ secrets: string }];
    expect(secrets).toMatch(/^ps1\.d30e3a746c099df5\.[\w-]+$/);
    expect(secrets).not.toContain(salt);
  });
});
