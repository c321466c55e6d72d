import { chmodSync, existsSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { AfterwordServer } from "./afterword-server.fixture.ts";
import { schemaVersion, openConnection, openReader } from "@afterword/reference-server/internal";
import { Shop } from "./shop.fixture.ts";

interface Finding {
  name: string;
  isGood: boolean;
  found: string;
  advice?: string;
}

async function findings(server: AfterwordServer, flags = "") {
  const { code, out } = await server.run(`doctor --json${flags}`);
  return { code, findings: (JSON.parse(out) as { findings: Finding[] }).findings };
}

describe("doctor", () => {
  it("finds no problem with a good database, server and log", async () => {
    using server = new AfterwordServer();
    await using shop = await Shop.open({ database: server.database });
    const { url } = shop.server;
    // The server's clock is the real one.
    const { code, out } = await server.run(`doctor --erasure-log ${server.file("e.jsonl")} --url ${url}`, {
      now: Date.now(),
    });
    expect(out).toContain("All is well.");
    expect(out).toMatch(/✓ database +SQLite 3\./);
    expect(code).toBe(0);
  });

  it("says what to do about a database and a key that every account can read", async () => {
    using server = await AfterwordServer.withShop();
    for (const end of ["", ".key"]) chmodSync(server.database + end, 0o604);
    const { code, findings: found } = await findings(server);
    expect(code).toBe(5);
    expect(found.filter(({ name }) => name.startsWith("permissions"))).toMatchObject([
      { isGood: false, found: "0604", advice: expect.stringContaining(`chmod 600 ${server.database}`) },
      { isGood: false, found: "0604", advice: expect.stringContaining(`chmod 600 ${server.database}.key`) },
    ]);
  });

  it("says what to do about a project without keys, origins or surveys", async () => {
    using server = await AfterwordServer.withShop();
    const { code, findings: found } = await findings(server);
    expect(code).toBe(5);
    expect(found.filter(({ name }) => name === "project shop")).toMatchObject([
      { isGood: false, found: "no page may ask" },
      {
        isGood: false,
        found: "no active survey",
        advice: "Run: afterword-server apply FILE, with a survey whose status is active",
      },
    ]);
  });

  it("says what to do without a database", async () => {
    using server = new AfterwordServer();
    const { code, findings: found } = await findings(server);
    expect(code).toBe(5);
    expect(found.find(({ name }) => name === "database")?.advice).toContain("start with `project create`");
  });

  it("reports a database of another version, and neither doctor nor any other reading command changes it", async () => {
    using server = new AfterwordServer();
    const newer = openConnection(server.database);
    newer.pragma("user_version = 9999");
    newer.close();
    const { code, findings: found } = await findings(server);
    expect(code).toBe(5);
    expect(found.find(({ name }) => name === "schema version")).toEqual({
      name: "schema version",
      isGood: false,
      found: `9999; this program uses ${schemaVersion}`,
      advice: expect.stringContaining("run a newer server") as string,
    });
    for (const words of ["project list", "project create shop", "key list shop", "retention --yes"]) {
      const refused = await server.run(words);
      expect([words, refused.code]).toEqual([words, 3]);
      expect(refused.error).toContain("The database has version 9999 and this server knows");
    }
  });

  it("reports what readers hold of the log, and neither its own check nor a log that was moved into the database", async () => {
    using server = new AfterwordServer();
    await using shop = await Shop.open({ database: server.database });
    const log = async (flags = "") =>
      (await findings(server, flags)).findings.find(({ name }) => name === "write-ahead log");
    using writer = Object.assign(openConnection(server.database), {
      [Symbol.dispose]: () => void writer.close(),
    });
    writer.exec("CREATE TABLE ballast (content BLOB)");
    const reader = openReader(server.database);
    reader.exec("BEGIN");
    reader.pragma("user_version");
    writer.exec("INSERT INTO ballast VALUES (zeroblob(70000000))");
    expect(await log(" --integrity")).toMatchObject({
      isGood: false,
      found: expect.stringMatching(/^6\d MiB held by readers, 6\d MiB in all$/) as string,
      advice: expect.stringContaining("look for a backup or a hanging export") as string,
    });
    reader.close();
    expect(await log(" --integrity")).toMatchObject({ isGood: true });
    expect(await shop.export()).toEqual([]);
  });

  it("checks the integrity of the whole database only with --integrity", async () => {
    using server = await AfterwordServer.withShop();
    const integrity = async (flags = "") =>
      (await findings(server, flags)).findings.find(({ name }) => name === "integrity");
    expect(await integrity()).toEqual({
      name: "integrity",
      isGood: true,
      found: "not checked; --integrity reads the whole database",
    });
    expect(await integrity(" --integrity")).toMatchObject({ isGood: true, found: "ok" });
  });

  it("names a file that is not a database", async () => {
    using server = new AfterwordServer();
    server.file("afterword.db", "something else, and long enough for a database header".repeat(10));
    const { code, out } = await server.run("doctor");
    expect(code).toBe(5);
    expect(out).toContain(`The database ${server.database} is not a SQLite database.`);
  });

  it("reports a server that does not answer, and one whose clock differs", async () => {
    using server = new AfterwordServer();
    await using shop = await Shop.open({ database: server.database });
    const clock = await findings(server, ` --url ${shop.server.url}`);
    expect(clock.findings.find(({ name }) => name === "server clock")).toMatchObject({ isGood: false });
    const gone = await findings(server, " --url http://127.0.0.1:9");
    expect(gone.findings.at(-1)).toMatchObject({ isGood: false, advice: "Start it, or correct --url." });
  });

  it("finds the erasure log and the audit file that the server was started with", async () => {
    using server = new AfterwordServer();
    const [erasureLog, auditFile] = [server.file("e.jsonl"), server.file("a.jsonl")];
    const filesOf = (found: readonly Finding[]) =>
      found.filter(({ name }) => ["erasure log", "audit file"].includes(name));
    await using shop = await Shop.open({ database: server.database, erasureLog, auditFile });
    const there = await server.run("doctor --json", { host: hostname() });
    expect(filesOf(there.json()["findings"] as Finding[])).toMatchObject([
      { isGood: true, found: `${erasureLog} can be written (of the server that started last)` },
      { isGood: true, found: `${auditFile} can be written (of the server that started last)` },
    ]);
    rmSync(erasureLog);
    const missing = await server.run("doctor --json", { host: hostname() });
    expect(filesOf(missing.json()["findings"] as Finding[])[0]).toMatchObject({
      isGood: false,
      found: `${erasureLog} is missing`,
    });
    // From another machine or container it cannot be seen.
    expect(filesOf((await findings(server)).findings)[0]).toMatchObject({
      isGood: true,
      found: `${erasureLog} on ${hostname()}, not visible from here`,
    });
    expect(existsSync(erasureLog)).toBe(false);
    await shop.server.close();
    await using another = await Shop.open({ database: server.database });
    expect(filesOf((await findings(server)).findings)).toMatchObject([
      { isGood: false, found: "none" },
      { isGood: true, found: "none: audit lines go to standard error" },
    ]);
    await another.server.close();
  });

  it("warns of an erasure log that is missing or cannot be written", async () => {
    using server = await AfterwordServer.withShop();
    const missing = await findings(server);
    expect(missing.findings.find(({ name }) => name === "erasure log")).toMatchObject({
      isGood: false,
      found: "none",
    });
    const unwritable = await findings(server, ` --erasure-log ${server.file("nowhere")}/e.jsonl`);
    expect(unwritable.findings.find(({ name }) => name === "erasure log")?.advice).toContain(
      "Could not write to the erasure log",
    );
  });
});
