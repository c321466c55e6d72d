import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { assertSqliteVersion, openConnection } from "./connection.ts";
import { migrations } from "./migrations.ts";
import { canTellOpenFiles, deletedFiles } from "./open-files.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-connection-"));
afterAll(() => rmSync(folder, { recursive: true }));

const pragma = (connection: Database.Database, name: string) => connection.pragma(name, { simple: true });

describe("a connection to SQLite", () => {
  it("flushes each commit, keeps a write-ahead log, and overwrites what is freed", () => {
    const connection = openConnection(join(folder, "settings.db"));
    expect(pragma(connection, "synchronous")).toBe(2);
    expect(pragma(connection, "journal_mode")).toBe("wal");
    expect(pragma(connection, "secure_delete")).toBe(1);
    connection.close();
  });

  it.runIf(canTellOpenFiles)(
    "puts nothing into files elsewhere, however long a statement and whatever it may have to undo",
    () => {
      const connection = openConnection(join(folder, "long.db"));
      const add = connection.prepare(`
        INSERT INTO responses (id, project_id, survey_id, survey_version, text, at, source, score_state)
        VALUES (?, 'p', 's', 1, ?, 1, 'measured', 'unlinked')`);
      const addMany = connection.transaction(() => {
        for (let index = 0; index < 2000; index++) add.run(`id ${index}`, "A few words. ".repeat(20));
      });
      addMany();
      const before = deletedFiles();
      connection.exec("BEGIN IMMEDIATE; UPDATE responses SET survey_version = survey_version + 1");
      const during = deletedFiles();
      connection.exec("ROLLBACK");
      connection.close();
      expect(during).toEqual(before);
    },
  );

  it("says which file it cannot open, and what it needs", () => {
    const path = join(folder, "nowhere", "a.db");
    expect(() => openConnection(path)).toThrow(
      /nowhere\/a\.db cannot be opened: .* Its folder must be there/,
    );
  });

  it.each(["3.51.2", "3.50.9", "3.7.0", "2.99.99"])(
    "refuses SQLite %s, which can corrupt a database",
    (version) => {
      expect(() => assertSqliteVersion(version)).toThrow("3.51.3 or newer");
    },
  );

  it.each(["3.51.3", "3.51.10", "3.54.1", "4.0.0"])("takes SQLite %s", (version) => {
    expect(() => assertSqliteVersion(version)).not.toThrow();
  });

  it("lifts a database of each earlier version to the newest", () => {
    for (let version = 0; version <= migrations.length; version++) {
      const path = join(folder, `from-${version}.db`);
      openConnection(path, "migrate", version).close();
      const connection = openConnection(path);
      expect(pragma(connection, "user_version")).toBe(migrations.length);
      expect(pragma(connection, "integrity_check")).toBe("ok");
      connection.close();
    }
  });

  it("keeps what a database of the first version held", () => {
    const path = join(folder, "first.db");
    const first = openConnection(path, "migrate", 1);
    first.exec(`
      INSERT INTO spent_tokens VALUES ('kept', x'0001', 4000000000000, 'response', 'response-1', 1700000000002);
      INSERT INTO responses (id, project_id, survey_id, survey_version, rating, text, at, source, score_state, token_id)
      VALUES ('response-1', 'kept', 'survey-1', 4, 5, 'Good.', 1700000000002, 'measured', 'pending', x'0001');`);
    first.close();
    const connection = openConnection(path);
    expect(
      connection.prepare("SELECT hex(token_id) AS token, kind, record_id, at FROM spent_tokens").all(),
    ).toEqual([{ token: "0001", kind: "response", record_id: "response-1", at: 1700000000002 }]);
    expect(connection.prepare("SELECT id, text, score_state FROM responses").all()).toEqual([
      { id: "response-1", text: "Good.", score_state: "pending" },
    ]);
    connection.close();
  });

  it("goes on suppressing whom a database of version 3 did, for good where it was erased", () => {
    const path = join(folder, "asks.db");
    const older = openConnection(path, "migrate", 3);
    // The day of an ask, which is a time at midnight, is what an erasure leaves.
    older.exec(`
      INSERT INTO asks VALUES ('kept', x'aa', 'one', 1700000000002, 1), ('kept', x'aa', 'one', 1700000000009, 2),
        ('kept', x'aa', 'two', 1700000000002, 1), ('kept', x'bb', 'one', 1700006400000, 3)`);
    older.close();
    const connection = openConnection(path);
    const rows = connection.prepare(
      "SELECT hex(respondent_hash), survey_id, answered_at, dismissed_at, is_permanent FROM suppression",
    );
    expect(rows.raw().all()).toEqual([
      ["AA", "one", 1700000000009, 1700000000009, 0],
      ["AA", "two", 1700000000002, 1700000000002, 0],
      ["BB", "one", 1700006400000, 1700006400000, 1],
    ]);
    expect(connection.prepare("SELECT sum(times) FROM asks").pluck().get()).toBe(7);
    connection.close();
  });

  it("leaves an older database as it is where it may not lift it, and names both versions", () => {
    const path = join(folder, "older.db");
    openConnection(path, "migrate", 1).close();
    for (const change of ["none", "create"] as const) {
      expect(() => openConnection(path, change)).toThrow(
        `has version 1 and this server knows ${migrations.length}: stop the servers of the older version and start`,
      );
    }
    const connection = new Database(path);
    expect(pragma(connection, "user_version")).toBe(1);
    connection.close();
  });

  it("makes the tables of an empty database where it may create, and not where it may only look", () => {
    const path = join(folder, "empty.db");
    expect(() => openConnection(path, "none")).toThrow("has version 0");
    expect(statSync(path).size).toBe(0);
    openConnection(path, "create").close();
    openConnection(path, "none").close();
  });

  it("refuses the database of a newer server, and says what to do", () => {
    const path = join(folder, "newer.db");
    openConnection(path).close();
    const newer = new Database(path);
    newer.pragma("user_version = 9999");
    newer.close();
    expect(() => openConnection(path)).toThrow("run a newer server");
  });
});
