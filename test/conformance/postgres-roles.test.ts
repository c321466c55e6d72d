import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { generate } from "selfsigned";
import { openStore, startServer, type ServerEvent } from "@afterword/server";
import { Afterword, AfterwordRespondent } from "@afterword/node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { runServerCommand, startServerCommand } from "../faults/server-command.ts";
import { startPostgres } from "../postgres.ts";
import { survey as aSurvey } from "./api/projects.ts";
import { asOperator } from "./postgres-database.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/server/databases.md", import.meta.url)), "utf8");
/** The statements of the page, before and after it connects to the new database. */
const [forServer, forDatabase] = /```sql\n([\s\S]*?)```/.exec(page)![1]!.split("\\c afterword\n") as [
  string,
  string,
];

/** The page's commands, without the name of the program. */
const commandsOfPage = [...page.matchAll(/^afterword-server (.*?)(?: +#.*)?$/gm)].map(([, words]) => words!);

const folder = mkdtempSync(join(tmpdir(), "afterword-roles-"));
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let beforeMigration: Awaited<ReturnType<typeof runServerCommand>>;

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

/** Words of a command of the page that begins with one of them. */
function wordsOf(name: string): string[] {
  const urls = { '"$OWNER_URL"': urlOf("owner"), '"$APP_URL"': urlOf("app") };
  const words = commandsOfPage.find((command) => command.startsWith(name))!.split(" ");
  return words.map((word) => urls[word as keyof typeof urls] ?? word);
}

beforeAll(async () => {
  const [own, other] = await Promise.all([makeCertificate(), makeCertificate()]);
  writeFileSync(join(folder, "ca.pem"), own.cert);
  writeFileSync(join(folder, "other.pem"), other.cert);
  postgres = await startPostgres({ tls: { certificate: own.cert, key: own.private } });
  await asOperator(postgres.url, async (client) => {
    for (const statement of forServer.split(";\n")) if (statement.trim()) await client.query(statement);
  });
  await onDatabase((client) => client.query(forDatabase));
  beforeMigration = await runServerCommand(["serve", "--port", "0", "--db", urlOf("app")], { folder });
  const { code, error } = await runServerCommand(wordsOf("migrate"), { folder });
  if (code !== 0) throw new Error(error);
}, 60_000);

afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

const keys = { publishableKey: `aw_pk_${"p".repeat(43)}`, secretKey: `aw_sk_${"s".repeat(43)}` };
const survey = aSurvey("s", { type: "csat" });
const config = {
  projects: [{ id: "shop", name: "Shop", allowedOrigins: ["*"], ...keys, surveys: [survey] }],
};

describe("a server whose role may only read and write rows", () => {
  it("says which command is missing when it is started before the tables are made", () => {
    expect(beforeMigration.code).toBe(3);
    expect(beforeMigration.error).toMatch(
      /^The role .*First run `afterword-server migrate --db URL` with.*\n$/,
    );
  });

  it("says which command is missing after an upgrade that changes tables", async () => {
    const setVersion = (change: string) =>
      onDatabase((client) => client.query(`UPDATE schema_version SET version = version ${change}`));
    await setVersion("- 1");
    const opening = openStore(urlOf("app"));
    await expect(opening).rejects.toThrow("First run `afterword-server migrate");
    await setVersion("+ 1");
  });

  it("says that rows are not granted to it", async () => {
    await onDatabase((client) => client.query("REVOKE SELECT ON schema_version FROM afterword_app"));
    await expect(openStore(urlOf("app"))).rejects.toThrow("Grant its rows to the role");
    await onDatabase((client) => client.query("GRANT SELECT ON schema_version TO afterword_app"));
  });

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

  it("runs the work of the night and of the background, and vacuums after an erasure", async () => {
    // Those of the driver go on.
    vi.useFakeTimers({ toFake: ["setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const events: ServerEvent[] = [];
    const emit = (event: ServerEvent) => void events.push(event);
    const retention = { responseRetentionDays: 730, textRetentionDays: 365, failedTextRetentionDays: 30 };
    const database = urlOf("app");
    await using server = await startServer({ config, database, retention, events: { emit } });
    const client = new Afterword({ baseUrl: server.url, secretKey: keys.secretKey });
    await client.mint({ respondentId: "bob", sessionId: "session-2" });
    vi.advanceTimersByTime(3_600_000);
    const kinds = () => events.map((event) => (event.kind === "task" ? event.task : event.kind));
    await expect.poll(kinds, { timeout: 20_000 }).toEqual(expect.arrayContaining(["retention", "key-use"]));
    const vacuums = async () => {
      const query = "SELECT vacuum_count FROM pg_stat_user_tables WHERE relname = 'responses'";
      return Number((await onDatabase((client) => client.query(query))).rows[0].vacuum_count);
    };
    const before = await vacuums();
    await client.privacy.erase({ respondentId: "bob" });
    expect(await vacuums()).toBe(before + 1);
    await server.close();
    expect(events.filter(({ kind }) => kind === "background-failure")).toEqual([]);
  });

  it("runs the commands beside a server", { timeout: 120_000 }, async () => {
    writeFileSync(join(folder, "answers.csv"), "email,rating,at\nada@example.com,3,2025-03-01T12:00:00Z\n");
    const [shop] = config.projects;
    const surveys = [{ ...survey, id: "visit", slug: "visit", status: "active" }];
    writeFileSync(
      join(folder, "more.json"),
      JSON.stringify({ projects: [{ ...shop, name: "Shops", surveys }] }),
    );
    await using server = await startServer({ config, database: urlOf("app") });
    const outcomes: unknown[] = [];
    const run = async (words: string) => {
      const { code, out, error } = await runServerCommand([...words.split(" "), "--db", urlOf("app")], {
        folder,
      });
      outcomes.push(code === 0 ? "done" : { words, code, out, error });
      return out;
    };
    const created = JSON.parse(await run("key create shop secret --scope scores --json")) as { id: string };
    const commands = [
      "project create other",
      `key revoke ${created.id} --yes`,
      "key rotate-master",
      "apply more.json",
      "responses import shop answers.csv --survey s",
      "responses export shop -",
      "results --project shop",
      "subject-report shop --respondent ada",
      "retention --response-retention-days 1 --clock-is-right --yes",
      "backup --record",
      "project purge shop --yes",
    ];
    for (const words of commands) await run(words);
    expect(outcomes.filter((outcome) => outcome !== "done")).toEqual([]);
    // It reads all that it checks, and complains of a test's settings.
    expect(await run("doctor")).toMatch(/^✓ queue of shop/m);
    expect(await fetch(`${server.url}/readyz`)).toMatchObject({ status: 200 });
  });

  it("is started by the command of the page", async () => {
    writeFileSync(join(folder, "afterword.json"), JSON.stringify(config));
    const environment = { AFTERWORD_PORT: "0" };
    const { child, ended } = await startServerCommand(wordsOf("serve"), { folder, environment });
    const [line] = (await Promise.race([
      once(createInterface(child.stdout), "line"),
      ended.then(String),
    ])) as [string];
    expect(line).toContain("http://");
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
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
    [
      "to a server whose certificate is for another name",
      { host: "127.0.0.1" },
      "IP: 127.0.0.1 is not in the cert's list",
    ],
  ])("%s is refused with the reason", async (_, parameters, reason) => {
    await expect(openStore(urlOf("app", parameters))).rejects.toThrow(reason);
  });
});
