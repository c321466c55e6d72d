import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type MasterKeyOptions, masterKeyPlace } from "@afterword/reference-server/internal";
import { openStore } from "../postgres/open-store.ts";
import { startServer } from "./start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-key-"));
const store = await openStore(":memory:");
const config = { projects: [{ id: "p", name: "p", allowedOrigins: [], surveys: [] }] };

const clock = { now: () => 0 };
/** The keys that are read, and where they are. */
async function masterKey(options: Omit<MasterKeyOptions, "clock">) {
  const place = masterKeyPlace({ ...options, clock });
  const [key, ...others] = await place.read();
  return { key: key!, others, kind: place.kind };
}

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the master key", () => {
  it("is created beside a new SQLite file, readable by its owner only, and found again", async () => {
    const database = join(folder, "made.db");
    const { key } = await masterKey({ database, store });
    expect(readFileSync(`${database}.key`, "utf8")).toBe(`${key.hex}\n`);
    expect(statSync(`${database}.key`).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["made.db.key"]);
    expect((await masterKey({ database, store })).key.hex).toBe(key.hex);
  });

  it.each([
    ["hex", Buffer.alloc(32, 7).toString("hex")],
    ["base64", Buffer.alloc(32, 7).toString("base64")],
  ])("comes from the environment in %s, before any file", async (_, given) => {
    const { key, kind } = await masterKey({ given, database: join(folder, "given.db"), store });
    expect([key.hex, kind]).toEqual(["07".repeat(32), "variable"]);
  });

  it("comes from a key file", async () => {
    const keyFile = join(folder, "key");
    writeFileSync(keyFile, `${Buffer.alloc(32, 9).toString("hex")}\n`);
    expect((await masterKey({ keyFile, database: "x", store })).key.hex).toBe("09".repeat(32));
  });

  it("is kept in a PostgreSQL database when none is given, and reported as such", async () => {
    const sources = { database: "postgres://somewhere/afterword", store };
    const first = await masterKey(sources);
    expect(first.kind).toBe("database");
    expect((await masterKey(sources)).key.hex).toBe(first.key.hex);
  });

  it.each(["", "short", "zz".repeat(32), Buffer.alloc(31).toString("base64")])("is not %j", async (text) => {
    const keyFile = join(folder, "wrong");
    writeFileSync(keyFile, text);
    await expect(masterKey({ keyFile, database: "x", store })).rejects.toThrow("openssl rand -hex 32");
  });

  it("error suggests creating a missing file, but not replacing an unreadable one", async () => {
    const missing = masterKey({ keyFile: join(folder, "none"), database: "x", store });
    await expect(missing).rejects.toThrow("does not exist; create it with");
    const unreadable = masterKey({ keyFile: folder, database: "x", store });
    await expect(unreadable).rejects.toThrow(/Could not read the key file (?!.*openssl)/);
  });

  it("that was lost is requested at each start and never replaced by a new one", async () => {
    const database = join(folder, "lost.db");
    await (await startServer({ config, database })).close();
    const key = readFileSync(`${database}.key`, "utf8");
    rmSync(`${database}.key`);
    for (let start = 0; start < 2; start++) {
      await expect(startServer({ config, database })).rejects.toThrow(
        /The key file .*lost\.db\.key is missing: put it back/,
      );
    }
    expect(existsSync(`${database}.key`)).toBe(false);
    await (await startServer({ config, database, masterKey: key })).close();
  });

  it("that used to be given is not replaced by one in the database", async () => {
    const own = await openStore(":memory:");
    await own.changeDirectory(() => ({ masterKeys: [{ id: "of a given key", since: 0 }] }));
    const sources = { database: "postgres://somewhere/afterword", store: own };
    await expect(masterKey(sources)).rejects.toThrow(
      "is not stored in this database: pass it with --key-file",
    );
    expect(await own.masterKeys()).toEqual([{ id: "of a given key", since: 0 }]);
    await own.close();
  });

  it("is the same for processes that open a new database at once", async () => {
    const database = join(folder, "at-once.db");
    const stores = await Promise.all([1, 2, 3].map(() => openStore(database)));
    const found = await Promise.all(stores.map((store) => masterKey({ database, store })));
    await Promise.all(stores.map((store) => store.close()));
    expect(new Set(found.map(({ key }) => key.hex)).size).toBe(1);
    expect(readFileSync(`${database}.key`, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it("of another database is refused at start with advice", async () => {
    const database = join(folder, "mixed-up.db");
    const server = await startServer({ config, database });
    await server.close();
    writeFileSync(`${database}.key`, Buffer.alloc(32, 1).toString("hex"));
    await expect(startServer({ config, database })).rejects.toThrow("put the key file back");
    expect(readFileSync(`${database}.key`, "utf8")).toHaveLength(64);
  });
});
