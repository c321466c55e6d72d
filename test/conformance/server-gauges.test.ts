import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type RunningServer } from "@afterword/server";
import { openStore } from "@afterword/server/internal";
import { afterAll, afterEach, describe, expect, inject, it } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf, project } from "./api/projects.ts";
import { asOperator, freshPostgres } from "./postgres-database.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-gauges-"));
let server: RunningServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

afterAll(() => rmSync(folder, { recursive: true }));

const databases = {
  SQLite: async () => join(folder, `${Math.random()}.db`),
  PostgreSQL: () => freshPostgres(inject("postgresUrl")),
};

const dayInMs = 86_400_000;
let now = Date.now();
const clock = { now: () => now, monotonic: () => now };

async function start(database: string): Promise<RunningServer> {
  now = Date.now();
  const config = { rateLimits: false as const, projects: [project("p")] };
  const erasureLog = join(folder, "erasures.jsonl");
  server = await startServer({ database, config, clock, erasureLog, admin: { port: 0 } });
  return server;
}

/** The values of a metric by their labels, as Prometheus reads them. */
async function values({ adminUrl }: RunningServer, name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const lines = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, "gm"))];
  return Object.fromEntries(
    lines.map(([, labels = "", value]) => [labels, Number(value!.replace("Inf", "Infinity"))]),
  );
}

describe.each(Object.entries(databases))("the gauges of a server on %s", (kind, fresh) => {
  it("count requests that are being sent, until the client is gone", async () => {
    const running = await start(await fresh());
    const { hostname, port } = new URL(running.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write("POST /v1/sdk/bootstrap HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n{");
    await expect.poll(() => values(running, "afterword_requests_unfinished")).toEqual({ "": 1 });
    expect(await values(running, "afterword_requests_in_flight")).toEqual({ "": 0 });
    socket.destroy();
    await expect.poll(() => values(running, "afterword_requests_unfinished")).toEqual({ "": 0 });
  });

  it("measure the write-ahead log and the disks that may become full", async () => {
    const running = await start(await fresh());
    await new ApiClient(running.url, keysOf("p")).answer("p-nps", "ann");
    const log = await values(running, "afterword_write_ahead_log_bytes");
    expect(log[""]).toBeGreaterThan(4096);
    const free = await values(running, "afterword_disk_free_bytes");
    const holds = kind === "SQLite" ? "database" : "exports";
    expect(Object.keys(free).sort()).toEqual([`holds="${holds}"`, 'holds="erasure-log"'].sort());
    for (const bytes of Object.values(free)) expect(bytes).toBeGreaterThan(0);
  });

  it("tell the age of the last backup and of the oldest secret key", async () => {
    const database = await fresh();
    const running = await start(database);
    expect(await values(running, "afterword_backup_age_seconds")).toEqual({ "": Infinity });
    const store = await openStore(database);
    await store.administration.changeAgreement("last-backup-at", String(now));
    await store.close();
    now += 3 * dayInMs;
    const ages = async (name: string) =>
      Object.entries(await values(running, `afterword_${name}_age_seconds`));
    expect(await ages("backup")).toEqual([["", 259_200]]);
    expect(await ages("secret_key")).toEqual([['project="p"', 259_200]]);
  });
});

describe("the size of PostgreSQL's write-ahead log", () => {
  it("is left out where the account of the database may not ask", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    const { pathname } = new URL(database);
    const role = `plain${pathname.slice(1)}`;
    await asOperator(database, async (client) => {
      await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
      await client.query(`GRANT ALL ON SCHEMA public TO ${role}`);
    });
    const url = new URL(database);
    [url.username, url.password] = [role, "x"];
    const running = await start(url.href);
    expect(await values(running, "afterword_write_ahead_log_bytes")).toEqual({});
    expect(await values(running, "afterword_database_up")).toEqual({ "": 1 });
  });
});

describe("the gauges of connections", () => {
  it("are by pool and state, and never more than the pool's size", async () => {
    const running = await start(await databases.PostgreSQL());
    await Promise.all(Array.from({ length: 30 }, () => fetch(`${running.url}/readyz`)));
    const connections = await values(running, "afterword_database_connections");
    expect(Object.keys(connections)).toHaveLength(9);
    expect(connections['pool="requests",state="size"']).toBeGreaterThanOrEqual(1);
    expect(connections['pool="requests",state="size"']).toBeLessThanOrEqual(10);
    expect(connections['pool="requests",state="waiting"']).toBe(0);
  });

  it("do not exist on SQLite", async () => {
    const running = await start(await databases.SQLite());
    expect(await values(running, "afterword_database_connections")).toEqual({});
  });
});
