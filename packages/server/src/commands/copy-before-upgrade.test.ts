import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AfterwordServer } from "./afterword-server.fixture.ts";
import { openConnection, schemaVersion } from "@afterword/reference-server/internal";
import { type ServerEvent } from "../audit/audit-trail.ts";
import { startServer } from "../program/start-server.ts";

describe("a start on a database of an older version", () => {
  let folder: string;
  let database: string;
  let copy: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "afterword-upgrade-"));
    database = join(folder, "a.db");
    copy = `${database}.before-upgrade`;
    const older = openConnection(database);
    older.exec(`
      DROP TABLE run_counts;
      ALTER TABLE responses DROP COLUMN run;
      ALTER TABLE surveys DROP COLUMN sampling;
      PRAGMA user_version = 1;
      INSERT INTO agreements VALUES ('kept', 'as it was')`);
    older.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const contentOf = (path: string) => {
    const connection = new Database(path);
    const version = connection.pragma("user_version", { simple: true });
    const kept = connection.prepare("SELECT value FROM agreements WHERE name = 'kept'").pluck().get();
    connection.close();
    return { version, kept };
  };
  const start = async () => {
    const warnings: string[] = [];
    const emit = (event: ServerEvent) => void (event.kind === "warning" && warnings.push(event.message));
    await (await startServer({ database, events: { emit } })).close();
    return warnings;
  };

  it("copies it beside it, private to its account, migrates it, and names the copy in a warning", async () => {
    expect(await start()).toContainEqual(expect.stringContaining(`${copy} is how it was before`));
    expect(contentOf(database)).toEqual({ version: schemaVersion, kept: "as it was" });
    expect(contentOf(copy)).toEqual({ version: 1, kept: "as it was" });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  it("does the same by `migrate`", async () => {
    using server = new AfterwordServer();
    copyFileSync(database, server.file("afterword.db"));
    const { code, error } = await server.run("migrate");
    expect([code, error]).toEqual([0, expect.stringContaining("is how it was before")]);
    expect(contentOf(server.file("afterword.db"))).toEqual({ version: schemaVersion, kept: "as it was" });
    expect(contentOf(server.file("afterword.db.before-upgrade"))).toEqual({ version: 1, kept: "as it was" });
  });

  it("leaves it as it was when the copy cannot be made", async () => {
    mkdirSync(join(copy, "in-the-way"), { recursive: true });
    await expect(start()).rejects.toThrow(copy);
    expect(contentOf(database)).toEqual({ version: 1, kept: "as it was" });
  });

  it("makes no copy once it is migrated, nor of a new one", async () => {
    await start();
    rmSync(copy);
    expect(await start()).toEqual([]);
    expect(existsSync(copy)).toBe(false);
    rmSync(database);
    await start();
    expect(existsSync(copy)).toBe(false);
  });
});
