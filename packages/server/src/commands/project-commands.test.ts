import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openStore } from "../postgres/open-store.ts";
import { AfterwordServer } from "./afterword-server.fixture.ts";

describe("project create", () => {
  it("creates the database and shows both keys once", async () => {
    using server = new AfterwordServer();
    const { code, out } = await server.run("project create shop --origin https://shop.example");
    expect(code).toBe(0);
    const [secretKey] = /aw_sk_\w+/.exec(out)!;
    expect(out).toMatch(/aw_pk_\w{49}/);
    expect(existsSync(server.database)).toBe(true);
    const list = await server.run("key list shop --json");
    expect(list.out).not.toContain(secretKey);
    expect(list.out).toContain(`${secretKey.slice(0, 6)}…${secretKey.slice(-4)}`);
  });

  it("prints one line of JSON on demand", async () => {
    using server = new AfterwordServer();
    const flags = "--name Shop --origin https://a.example --origin https://*.b.example";
    const created = (await server.run(`project create shop ${flags} --json`)).json();
    expect(created).toMatchObject({
      id: "shop",
      name: "Shop",
      allowedOrigins: ["https://a.example", "https://*.b.example"],
      gating: {},
    });
    expect(created["publishableKey"]).toMatch(/^aw_pk_/);
  });

  it("refuses an id that is taken and changes nothing", async () => {
    using server = new AfterwordServer();
    await server.run("project create shop --name First");
    const { code, error } = await server.run("project create shop --name Second");
    expect(code).toBe(3);
    expect(error).toBe('The project "shop" already exists: choose another id.');
    expect((await server.run("project list")).out).toContain("First");
  });

  it("warns when no page may ask", async () => {
    using server = new AfterwordServer();
    expect((await server.run("project create shop")).error).toContain("No page may ask yet");
  });

  it.each([
    ["--origin shop.example", "Pass an origin such as https://app.example"],
    ["--origin https://shop.example/path", "Pass an origin such as https://app.example"],
    ["--colour red", "unknown option '--colour'"],
  ])("%s is a usage error with an explanation", async (flags, message) => {
    using server = new AfterwordServer();
    const { code, error } = await server.run(`project create shop ${flags}`);
    expect(code).toBe(2);
    expect(error).toContain(message);
    expect(existsSync(server.database)).toBe(false);
  });
});

describe("project list", () => {
  it("does not create a database for a misspelt path", async () => {
    using server = new AfterwordServer();
    const { code, error } = await server.run("project list");
    expect(code).toBe(3);
    expect(error).toContain("does not exist");
    expect(existsSync(server.database)).toBe(false);
  });
});

describe("project purge", () => {
  it("refuses without a terminal unless --yes is given", async () => {
    using server = await AfterwordServer.withShop();
    const refused = await server.run("project purge shop");
    expect(refused.code).toBe(3);
    expect(refused.error).toContain("Add --yes to confirm");
    const purged = await server.run("project purge shop --yes --json");
    expect(purged.json()).toMatchObject({
      ok: true,
      mode: "account",
      projectId: "shop",
      responsesDeleted: 0,
    });
  });

  it("asks for the project's id, and anything else changes nothing", async () => {
    using server = await AfterwordServer.withShop();
    const refused = await server.run("project purge shop", { typed: "yes" });
    expect(refused.code).toBe(3);
    expect(refused.error).toContain("Type shop to continue: \nNothing was changed.");
    expect((await server.run("project purge shop", { typed: "shop" })).code).toBe(0);
  });

  it("says that erased data stays on the disk while an export reads it", async () => {
    using server = await AfterwordServer.withShop();
    const store = await openStore(server.database);
    const reading = await store.openExport({ projectId: "shop" });
    expect((await server.run("project purge shop --yes")).error).toContain("The erased data is still in");
    await reading.close();
    await store.close();
  });
});

describe("every command", () => {
  const commands = [
    "serve",
    "apply",
    "project create",
    "project list",
    "project purge",
    "key create",
    "key list",
    "key revoke",
    "survey list",
    "responses import",
    "responses export",
    "subject-report",
    "backup",
    "restore",
    "retention",
    "doctor",
  ];

  it.each(commands)("%s has help with an example, and --json", async (command) => {
    using server = new AfterwordServer();
    const { code, out } = await server.runWords([...command.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(out).toContain(`Example:\n  afterword-server ${command}`);
    expect(out).toContain("--json");
    expect(out).toContain("AFTERWORD_DB");
  });

  it("names no flag in its help that there is not", async () => {
    using server = new AfterwordServer();
    const helps = await Promise.all(
      commands.map(async (command) => (await server.runWords([...command.split(" "), "--help"])).out),
    );
    const flags = new Set(
      helps.flatMap((help) => [...help.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)),
    );
    const named = helps.flatMap((help) => [...help.matchAll(/(?<![\w-])--[a-z-]+/g)].map(([flag]) => flag));
    expect(flags).toContain("--response-retention-days");
    expect(named.filter((flag) => !flags.has(flag))).toEqual([]);
  });

  it.each(["--version", "-V"])("none is needed for %s, which prints the program's version", async (flag) => {
    using server = new AfterwordServer();
    expect(await server.runWords([flag])).toMatchObject({ code: 0, out: "0.0.0\n" });
  });

  it("that is misspelt gets the nearest one as a suggestion", async () => {
    using server = new AfterwordServer();
    const { code, error } = await server.runWords(["projct"]);
    expect(code).toBe(2);
    expect(error).toContain("Did you mean project?");
  });
});
