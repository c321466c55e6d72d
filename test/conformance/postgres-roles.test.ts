import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { generate } from "selfsigned";
import { openStore, startServer } from "@afterword/reference-server";
import { Afterword, AfterwordRespondent } from "@afterword/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres } from "../postgres.ts";
import { asOperator } from "./postgres-database.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/server/databases.md", import.meta.url)), "utf8");
/** The statements of the page, before and after it connects to the new database. */
const [forServer, forDatabase] = /```sql\n([\s\S]*?)```/.exec(page)![1]!.split("\\c afterword\n") as [
  string,
  string,
];

const folder = mkdtempSync(join(tmpdir(), "afterword-roles-"));
let postgres: Awaited<ReturnType<typeof startPostgres>>;

const makeCertificate = () =>
  generate([{ name: "commonName", value: "localhost" }], {
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });

/** The database of the page, as one of its roles. */
function urlOf(role: "owner" | "app", parameters: Record<string, string> = {}): string {
  const url = new URL(postgres.url);
  url.hostname = "localhost";
  url.username = `afterword_${role}`;
  url.password = role === "owner" ? "choose-one" : "choose-another";
  url.pathname = "/afterword";
  const all = {
    durability: "unsafe",
    sslmode: "verify-full",
    sslrootcert: join(folder, "ca.pem"),
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) if (value) url.searchParams.set(name, value);
  return url.href;
}

const onDatabase = <T>(work: (client: pg.Client) => Promise<T>) =>
  asOperator(postgres.url.replace(/\/postgres$/, "/afterword"), work);

beforeAll(async () => {
  const [own, other] = await Promise.all([makeCertificate(), makeCertificate()]);
  writeFileSync(join(folder, "ca.pem"), own.cert);
  writeFileSync(join(folder, "other.pem"), other.cert);
  postgres = await startPostgres({ tls: { certificate: own.cert, key: own.private } });
  await asOperator(postgres.url, async (client) => {
    for (const statement of forServer.split(";\n")) if (statement.trim()) await client.query(statement);
  });
  await onDatabase((client) => client.query(forDatabase));
  await (await openStore(urlOf("owner"))).close();
}, 60_000);

afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

const keys = { publishableKey: `aw_pk_${"p".repeat(43)}`, secretKey: `aw_sk_${"s".repeat(43)}` };
const survey = {
  id: "s",
  slug: "s",
  type: "csat",
  question: "How was it?",
  presentation: "corner",
  trigger: "auto",
  status: "active",
} as const;
const config = {
  projects: [{ id: "shop", name: "Shop", allowedOrigins: ["*"], ...keys, surveys: [survey] }],
};

describe("a server whose role may only read and write rows", () => {
  it("stores, lists, acknowledges, exports and erases, over TLS alone", async () => {
    await using server = await startServer({ config, database: urlOf("app"), rateLimits: false } as never);
    const client = new Afterword({ baseUrl: server.url, secretKey: keys.secretKey });
    const { tokens } = await client.mint({ respondentId: "ada", sessionId: "session-1" });
    const person = new AfterwordRespondent({
      baseUrl: server.url,
      publishableKey: keys.publishableKey,
      userId: "ada",
    });
    person.install({ surveyId: "s", token: tokens["s"]!, sessionId: "session-1" });
    const { id } = await (await person.nextAsk())!.submit({ rating: 4, text: "good" });
    const listed: string[] = [];
    for await (const score of client.pendingScores()) listed.push(score.id);
    expect(listed).toEqual([id]);
    expect(await client.ack([{ id: id!, state: "delivered" }])).toMatchObject({ updated: 1 });
    const exported: unknown[] = [];
    for await (const row of client.privacy.export({ respondentId: "ada" })) exported.push(row.id);
    expect(exported).toEqual([id]);
    expect(await client.privacy.erase({ respondentId: "ada" })).toMatchObject({ responsesDeleted: 1 });
    const sessions = await onDatabase((database) =>
      database.query<{ ssl: boolean }>(
        "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'afterword_app'",
      ),
    );
    expect(sessions.rows.length).toBeGreaterThan(0);
    expect(sessions.rows.every(({ ssl }) => ssl)).toBe(true);
  });

  it("cannot change a table", async () => {
    const url = new URL(urlOf("app"));
    url.searchParams.delete("durability");
    const client = new pg.Client(url.href);
    await client.connect();
    await expect(client.query("DROP TABLE responses")).rejects.toThrow("must be owner");
    await expect(client.query("CREATE TABLE more (id integer)")).rejects.toThrow("permission denied");
    await client.end();
  });
});

describe("a connection to PostgreSQL", () => {
  it.each([
    ["without TLS", { sslmode: "", sslrootcert: "" }, "Add sslmode=verify-full"],
    [
      "to a server whose certificate is not trusted",
      { sslrootcert: join(folder, "other.pem") },
      "self-signed certificate",
    ],
  ])("%s is refused with the reason", async (_, parameters, reason) => {
    await expect(openStore(urlOf("app", parameters))).rejects.toThrow(reason);
  });
});
