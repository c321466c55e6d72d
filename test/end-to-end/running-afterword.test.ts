import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ApiClient } from "@afterword/conformance";
import { keysOf } from "../conformance/api/projects.ts";
import { asOperator } from "../conformance/postgres-database.ts";
import { startPostgres } from "../postgres.ts";
import { commandsOf, prepare, runCommands } from "./documented-commands.ts";
import { ServerFolder, type ServerProgram } from "./server-program.ts";

// The commands of docs/operate and of the page for operators, as they stand there.

/** Tools of PostgreSQL's own packages; they refuse a newer server, so they come with theirs. */
const installation = ["15", "16", "17", "18"]
  .map((version) => `/usr/lib/postgresql/${version}`)
  .find((home) => existsSync(`${home}/bin/postgres`) && existsSync(`${home}/bin/pg_dump`));
const postgresTools = `${installation}/bin`;
if (!installation) console.warn("skipped: no PostgreSQL with pg_dump to back up and restore with");

const folder = new ServerFolder();
let service: ServerProgram;
let shop: ApiClient;
/** With the secret key that the page on rotating keys creates. */
let renewed: ApiClient;

/** Runs commands in a service's folder, with PostgreSQL's tools. */
const run = (commands: string, environment: Record<string, string> = {}, at = folder) => {
  const path = [at.file("bin"), postgresTools, process.env["PATH"]].join(":");
  return runCommands(commands, at, { PATH: path, ...environment });
};

async function backupAgeInSeconds({ adminUrl }: ServerProgram): Promise<number> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^afterword_backup_age_seconds (.*)$/m.exec(metrics)![1]);
}

beforeAll(async () => {
  prepare(folder);
  const flags = ["--config", "config.json", "--erasure-log", "erasures.jsonl", "--admin-port", "0"];
  service = await folder.serve(...flags);
  shop = new ApiClient(service.url, keysOf("shop"));
  for (const person of ["ada", "bob", "cleo"]) await shop.answer("shop-nps", person);
});
afterAll(async () => {
  await service.stop();
  folder[Symbol.dispose]();
});

describe("the pages on operating Afterword", () => {
  it("check the service and make a backup while it runs, which the metrics know", async () => {
    const [check, backup] = commandsOf("start/operator").slice(-2);
    const here = check!
      .replaceAll("http://127.0.0.1:8787", service.url)
      .replaceAll("http://127.0.0.1:8788", service.adminUrl);
    expect((await run(here)).out).toMatch(/All is well\.\n[^]*"ready"[^]*afterword_/);
    await run(backup!);
    // What curl has read is kept for a moment.
    await expect.poll(() => backupAgeInSeconds(service), { timeout: 30_000 }).toBeLessThan(60);
    expect(commandsOf("operate/backups")[0]).toBe(backup);
  });

  it("have a restore drill that repeats later erasures and finds nothing wrong, beside the running service", async () => {
    await shop.erase({ respondentId: "bob" });
    const { out } = await run(commandsOf("operate/restoring")[0]!);
    expect(out).toContain("Repeated 1 erasure: deleted ");
    expect(out).toContain("All is well.");
    expect(out.trim().split("\n").at(-1)!.trim()).toBe("2");
    expect(existsSync(folder.file("drill/afterword.db"))).toBe(true);
    await shop.answer("shop-nps", "dan");
  });

  it("replace a secret key while both are valid", async () => {
    const [create, revoke] = commandsOf("operate/rotating-keys");
    const { out } = await run(create!);
    const { key, id } = JSON.parse(readFileSync(folder.file("new-key.json"), "utf8")) as Record<
      string,
      string
    >;
    expect(out).toContain(id);
    renewed = new ApiClient(service.url, { ...keysOf("shop"), secretKey: key! });
    await expect.poll(async () => (await renewed.pending()).status, { timeout: 30_000 }).toBe(200);
    expect((await shop.pending()).status).toBe(200);
    const listed = await run("afterword-server key list shop --json");
    const keys = JSON.parse(listed.out) as { keys: { id: string; kind: string }[] };
    const old = keys.keys.find((one) => one.kind === "secret" && one.id !== id)!;
    await run(revoke!, { OLD_KEY_ID: old.id });
    await expect.poll(async () => (await shop.pending()).status, { timeout: 30_000 }).toBe(401);
    expect((await renewed.pending()).status).toBe(200);
  });

  it("rotate the master key of a running service, whose tokens of before stay valid", async () => {
    const token = await renewed.boundToken("shop-nps", { respondentId: "eve", sessionId: "session-1" });
    await run(commandsOf("operate/rotating-keys")[3]!);
    const keys = () => readFileSync(folder.file("afterword.db.key"), "utf8").trim().split(/\s+/).length;
    expect(keys()).toBe(2);
    const replied = await shop.submit({ showToken: token, surveyId: "shop-nps", rating: 9 });
    expect(replied.status).toBe(201);
  });
});

describe.runIf(installation)("the pages on operating Afterword on PostgreSQL", () => {
  it("back up with PostgreSQL's tools, and restore without the people whom two nodes have erased since", async () => {
    using place = new ServerFolder();
    prepare(place);
    mkdirSync(place.file("logs"));
    const postgres = await startPostgres({ installation, fsync: "on" });
    onTestFinished(postgres.stop);
    await asOperator(postgres.url, (client) => client.query("CREATE DATABASE afterword"));
    const database = postgres.url.replace(/\/postgres$/, "/afterword");
    /** What a page has for PostgreSQL, with the addresses of this machine. */
    const block = (page: string, place: number) =>
      commandsOf(page)
        .at(place)!
        .replaceAll("postgres://user@host:5432/afterword", database)
        .replaceAll("/mnt/logs/", "logs/");
    const node = (number: number) => {
      const log = `logs/node-${number}.jsonl`;
      return place.serve(
        "--config",
        "config.json",
        "--db",
        database,
        "--erasure-log",
        log,
        "--admin-port",
        "0",
      );
    };
    await using first = await node(1);
    await using second = await node(2);
    const clients = [first, second].map(({ url }) => new ApiClient(url, keysOf("shop")));
    for (const person of ["ada", "bob", "cleo"]) await clients[0]!.answer("shop-nps", person);
    await run(block("operate/backups", 1), {}, place);
    expect(await backupAgeInSeconds(second)).toBeLessThan(60);
    await clients[0]!.erase({ respondentId: "bob" });
    await clients[1]!.erase({ respondentId: "cleo" });
    await Promise.all([first.stop(), second.stop()]);
    const restore = block("operate/restoring", 2);
    for (const deleted of [2, 0]) {
      // Without pg_restore the second time: it can be repeated without effect.
      const commands = deleted === 2 ? restore : restore.slice(restore.indexOf("afterword-server"));
      const { out, error } = await run(commands, {}, place);
      expect(out).toContain(`Repeated 2 erasures: deleted ${deleted} responses`);
      expect(error).toContain('"event":"audit","what":"restore"');
    }
    await using again = await node(1);
    const { responses } = (await new ApiClient(again.url, keysOf("shop")).export()).json as {
      responses: { respondentId: string }[];
    };
    expect(responses.map(({ respondentId }) => respondentId)).toEqual(["ada"]);
  });
});
