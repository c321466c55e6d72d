import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { AfterwordServer } from "./afterword-server.fixture.ts";
import { Shop, shopKeys } from "./shop.fixture.ts";

// The shop runs on the real clock, so that commands and requests agree on what came first.
const now = () => ({ now: Date.now() + 5 * 60_000 });

const filesOf = (server: AfterwordServer) => readdirSync(server.folder);

async function answersOf(server: AfterwordServer) {
  await using shop = await Shop.open({ database: server.database });
  return (await shop.export()).map((row) => row["text"]);
}

describe("backup", () => {
  it("makes a complete copy while the server runs", async () => {
    using server = new AfterwordServer();
    await using shop = await Shop.open({ database: server.database });
    await shop.answer({ respondentId: "ada", text: "before" });
    const file = server.file("copy.db");
    const { code, out, error } = await server.run(`backup ${file}`);
    expect(code).toBe(0);
    expect(out).toContain(`Copied ${server.database} to ${file}`);
    expect(error).toContain("does not contain the master key");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await shop.answer({ respondentId: "bob", text: "after" });
    using other = new AfterwordServer();
    copyFileSync(`${server.database}.key`, `${other.database}.key`);
    await other.run(`restore ${file} --without-erasure-log`);
    expect(await answersOf(other)).toEqual(["before"]);
  });

  it("is recorded, also one that another tool has made", async () => {
    using server = await AfterwordServer.withShop();
    await using shop = await Shop.open({ database: server.database, admin: { port: 0 } });
    const age = async () => {
      const text = await (await fetch(`${shop.server.adminUrl}/metrics`)).text();
      return /^afterword_backup_age_seconds (\S+)$/m.exec(text)?.[1];
    };
    const { code, out } = await server.run("backup --record", now());
    expect([code, out]).toEqual([0, "Recorded the backup."]);
    expect(Number(await age())).toBe(0);
    for (const words of ["backup", "backup copy.db --record"])
      expect((await server.run(words)).error).toContain("Pass a file, or --record.");
  });

  it("asks before it replaces a file", async () => {
    using server = await AfterwordServer.withShop();
    const file = server.file("copy.db", "precious");
    expect((await server.run(`backup ${file}`)).code).toBe(3);
    expect(readFileSync(file, "utf8")).toBe("precious");
    expect((await server.run(`backup ${file} --yes`)).code).toBe(0);
  });

  it("removes the remains of an earlier copy that a full disk stopped", async () => {
    using server = await AfterwordServer.withShop();
    for (const end of ["", "-journal"]) server.file(`copy.db.unfinished${end}`, "left behind");
    expect((await server.run(`backup ${server.file("copy.db")}`)).code).toBe(0);
    expect(readdirSync(server.folder).filter((name) => name.includes("unfinished"))).toEqual([]);
  });
});

/** A shop whose backup still has what was erased after it. */
async function erasedAfterBackup(server: AfterwordServer, erase: string) {
  const log = server.file("erasures.jsonl");
  const backup = server.file("copy.db");
  {
    await using shop = await Shop.open({ database: server.database, erasureLog: log });
    await shop.answer({ respondentId: "ada", text: "ada's words" });
    await shop.answer({ respondentId: "bob", text: "bob's words" });
    await shop.answer({ respondentId: "bob", text: "bob's ease", surveyId: "ease" });
    await shop.dismiss({ respondentId: "ada", surveyId: "ease" });
    await server.run(`backup ${backup}`);
    expect((await shop.asServer("DELETE", `/v1/privacy/erase?${erase}`)).status).toBe(200);
  }
  return { log, backup };
}

describe("restore", () => {
  it.each([
    ["respondentId=ada", ["bob's ease", "bob's words"], 1, 1],
    ["respondentId=bob&surveySlug=ease", ["ada's words", "bob's words"], 1, 0],
    ["surveySlug=satisfaction", ["bob's ease"], 2, 0],
    ["account=true", [], 3, 1],
  ])("repeats the erasure by %s after the backup", async (erase, left: string[], responses, dismissals) => {
    using server = new AfterwordServer();
    const { log, backup } = await erasedAfterBackup(server, erase);
    const outcome = await server.run(`restore ${backup} --erasure-log ${log} --yes --json`, now());
    expect(outcome.json()).toMatchObject({
      erasures: 1,
      skipped: 0,
      responsesDeleted: responses,
      dismissalsDeleted: dismissals,
    });
    expect((await answersOf(server)).sort()).toEqual(left);
    // What was erased is off the disk too, and the log never had it nor the names.
    const gone = ["ada's words", "bob's words", "bob's ease"].filter((text) => !left.includes(text));
    for (const file of [server.database, `${server.database}-wal`]) {
      const bytes = readFileSync(file, { encoding: "latin1", flag: "a+" });
      expect(gone.filter((text) => bytes.includes(text))).toEqual([]);
    }
    expect(readFileSync(log, "utf8")).not.toMatch(/ada|bob/);
  });

  it("keeps what the person answered after the erasure, however often it runs", async () => {
    using server = new AfterwordServer();
    const log = server.file("erasures.jsonl");
    const ada = { respondentId: "ada", surveyId: "ease" };
    let showToken: string;
    {
      await using shop = await Shop.open({ database: server.database, erasureLog: log });
      await shop.answer({ respondentId: "ada", text: "old words" });
      showToken = await shop.mint(ada);
      await shop.asServer("DELETE", "/v1/privacy/erase?respondentId=ada");
    }
    {
      const tenMinutesLater = { now: () => Date.now() + 10 * 60_000 };
      await using shop = await Shop.open({ database: server.database, clock: tenMinutesLater });
      const body = { key: shopKeys.publishable, showToken, surveyId: "ease", rating: 5, text: "new words" };
      expect((await shop.call("POST", "/v1/sdk/responses", body)).status).toBe(201);
    }
    for (let time = 0; time < 2; time++) {
      const outcome = await server.run(`restore --erasure-log ${log} --json`, now());
      expect(outcome.json()).toMatchObject({ erasures: 1, responsesDeleted: 0 });
    }
    expect(await answersOf(server)).toEqual(["new words"]);
  });

  it("keeps suppression: an erased person is not asked again", async () => {
    using server = new AfterwordServer();
    const { log, backup } = await erasedAfterBackup(server, "respondentId=ada");
    await server.run(`restore ${backup} --erasure-log ${log} --yes`, now());
    await using shop = await Shop.open({ database: server.database });
    const reply = await shop.asServer("POST", "/v1/sdk/tokens", { respondentId: "ada", sessionId: "s" });
    expect(await reply.json()).toMatchObject({ tokens: {}, suppression: ["ease", "satisfaction"] });
  });

  it("requires an erasure log unless --without-erasure-log is given", async () => {
    using server = await AfterwordServer.withShop();
    await server.run(`backup ${server.file("copy.db")}`);
    const refused = await server.run(`restore ${server.file("copy.db")} --yes`);
    expect(refused.code).toBe(3);
    expect(refused.error).toContain("pass --erasure-log, or --without-erasure-log");
    const environment = { AFTERWORD_ERASURE_LOG: server.file("log", "") };
    expect((await server.run(`restore ${server.file("copy.db")} --yes`, { environment })).code).toBe(0);
  });

  it("refuses while the server runs", async () => {
    using server = new AfterwordServer();
    await using shop = await Shop.open({ database: server.database });
    await server.run(`backup ${server.file("copy.db")}`);
    const { code, error } = await server.run(`restore ${server.file("copy.db")} --without-erasure-log --yes`);
    expect(code).toBe(3);
    expect(error).toContain("is in use: stop the server first");
    expect(await shop.export()).toEqual([]);
  });

  it.each([
    ["text.db", "no database at all", "is not a SQLite database"],
    ["empty.db", "", "is not a database of this server"],
    ["copy.age", "age-encryption.org/v1\n-> X25519", "is encrypted: decrypt it first, with age --decrypt"],
    ["armored.age", "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl", "is encrypted: decrypt it first"],
  ])("refuses %s and leaves the database as it is", async (name, content, message) => {
    using server = await AfterwordServer.withShop();
    const { code, error } = await server.run(
      `restore ${server.file(name, content)} --without-erasure-log --yes`,
    );
    expect(code).toBe(3);
    expect(error).toContain(message);
    expect((await server.run("project list")).out).toContain("shop");
  });

  it("changes nothing when the backup has another master key", async () => {
    using server = new AfterwordServer();
    using other = new AfterwordServer();
    await server.run("project create shop");
    await other.run("project create other");
    await other.run(`backup ${other.file("copy.db")}`);
    const { code, error } = await server.run(
      `restore ${other.file("copy.db")} --without-erasure-log --yes`,
      now(),
    );
    expect([code, error]).toEqual([3, expect.stringContaining("uses another master key")]);
    expect((await server.run("project list")).out).toContain("shop");
    expect(filesOf(server)).not.toContainEqual(expect.stringContaining("incoming"));
  });

  it("changes nothing when erasures cannot be repeated, so that no erased person comes back", async () => {
    using server = new AfterwordServer();
    const { log, backup } = await erasedAfterBackup(server, "respondentId=ada");
    const copy = new Database(backup);
    copy.exec(
      "CREATE TRIGGER stubborn BEFORE DELETE ON responses BEGIN SELECT RAISE(ABORT, 'not this one'); END",
    );
    copy.close();
    const { code, error } = await server.run(`restore ${backup} --erasure-log ${log} --yes`, now());
    expect([code, error]).toEqual([1, expect.stringContaining("not this one")]);
    expect((await answersOf(server)).sort()).toEqual(["bob's ease", "bob's words"]);
    expect(filesOf(server)).not.toContainEqual(expect.stringContaining("incoming"));
  });

  it("reads a backup from a read-only folder", async () => {
    using server = await AfterwordServer.withShop();
    const backup = server.file("copy.db");
    await server.run(`backup ${backup}`);
    // What SQLite makes of it is the same as in a read-only folder, for every account.
    mkdirSync(`${backup}-wal`);
    chmodSync(backup, 0o400);
    const { code, error } = await server.run(`restore ${backup} --without-erasure-log --yes`, now());
    expect([code, error]).toEqual([0, ""]);
    expect(statSync(server.database).mode & 0o777).toBe(0o600);
  });

  it("reports a missing folder of the database and a file that is not a backup", async () => {
    using server = await AfterwordServer.withShop();
    const backup = server.file("copy.db");
    await server.run(`backup ${backup}`);
    const nowhere = server.file("nowhere/afterword.db");
    const restore = ["restore", backup, "--without-erasure-log", "--db", nowhere];
    expect(await server.runWords(restore)).toMatchObject({
      code: 3,
      error: expect.stringContaining(`Could not copy the backup to ${nowhere}.incoming`) as string,
    });
    const { code, error } = await server.run(`restore ${server.file("none.db")} --without-erasure-log`);
    expect([code, error]).toEqual([3, `The backup ${server.file("none.db")} does not exist.`]);
  });

  it("removes the remains of a killed restore", async () => {
    using server = new AfterwordServer();
    const { log, backup } = await erasedAfterBackup(server, "respondentId=ada");
    for (const rest of ["", "-wal", "-shm"]) server.file(`afterword.db.incoming${rest}`, "ada's words");
    expect((await server.run(`restore ${backup} --erasure-log ${log} --yes`, now())).code).toBe(0);
    expect(filesOf(server)).not.toContainEqual(expect.stringContaining("incoming"));
    expect((await answersOf(server)).sort()).toEqual(["bob's ease", "bob's words"]);
  });

  it("replaces a damaged database", async () => {
    using server = await AfterwordServer.withShop();
    const backup = server.file("copy.db");
    await server.run(`backup ${backup}`);
    writeFileSync(server.database, "what is left after an accident with the disk ".repeat(500));
    expect((await server.run(`restore ${backup} --without-erasure-log --yes`, now())).code).toBe(0);
    expect((await server.run("project list")).out).toContain("shop");
  });

  it("stops at a damaged line of the log, so that no erasure is skipped", async () => {
    using server = new AfterwordServer();
    const { log, backup } = await erasedAfterBackup(server, "respondentId=ada");
    server.file("erasures.jsonl", `{"at":"2026\n${readFileSync(log, "utf8")}`);
    const { code, error } = await server.run(`restore ${backup} --erasure-log ${log} --yes`, now());
    expect(code).toBe(3);
    expect(error).toContain("Line 1 of the erasure log");
  });
});
