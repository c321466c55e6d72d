import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { openConnection } from "./connection.ts";
import { migrations, schemaVersion } from "./migrations.ts";
import { canTellOpenFiles, deletedFiles } from "./open-files.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-connection-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The migrations of a later version. */
const withNext = [...migrations, "ALTER TABLE agreements ADD COLUMN is_next INTEGER"];

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

  it("lifts a database of version 1 to the tables and indexes of a new one, and keeps the answers that it held", () => {
    const path = join(folder, "version-1.db");
    const older = new Database(path);
    older.exec(readFileSync(join(import.meta.dirname, "fixtures/version-1.sql"), "utf8"));
    older.exec(`
      INSERT INTO responses (id, project_id, survey_id, survey_version, rating, at, source, score_state)
      VALUES ('kept', 'p', 's', 1, 4, 1, 'measured', 'unlinked')`);
    older.close();
    const [lifted, fresh] = [openConnection(path), openConnection(join(folder, "fresh.db"))];
    const columns = `
      SELECT name, (SELECT group_concat(name || type, ' ') FROM pragma_table_info(tables.name)) AS columns,
        iif(type = 'index', sql, '') AS sql
      FROM sqlite_schema AS tables ORDER BY name`;
    expect(pragma(lifted, "user_version")).toBe(schemaVersion);
    expect(lifted.prepare(columns).all()).toEqual(fresh.prepare(columns).all());
    expect(lifted.prepare("SELECT id, rating FROM responses").all()).toEqual([{ id: "kept", rating: 4 }]);
    for (const connection of [lifted, fresh]) connection.close();
  });

  it("leaves an older database as it is where it may not lift it, and names both versions", () => {
    const path = join(folder, "left.db");
    openConnection(path).close();
    const known = schemaVersion;
    for (const change of ["none", "create"] as const) {
      expect(() => openConnection(path, change, withNext)).toThrow(
        `has version ${known} and this server knows ${known + 1}: start the server of this version once`,
      );
    }
    openConnection(path, "none").close();
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
