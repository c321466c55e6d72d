import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openConnection } from "./connection.ts";
import { canTellOpenFiles, deletedFiles } from "./open-files.fixture.ts";
import { RowInserter, type Row } from "./spending.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-rows-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ledger = {
  into: "spent_tokens (project_id, token_id, kind, record_id, at)",
  row: "(?, ?, ?, ?, ?)",
};
/** Their keys are random, so each goes to another page. */
const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, () => ["p", randomBytes(16), "response", "x".repeat(100), 1]);

describe("adding many rows", () => {
  it.runIf(canTellOpenFiles)("copies no page for the case that a row cannot be added", () => {
    const connection = openConnection(join(folder, "pages.db"));
    const inserter = new RowInserter(connection, ledger);
    connection.transaction(() => inserter.insert(rowsOf(5000)))();
    // So that a copy can be seen: the file that it would go to is there until the transaction ends.
    connection.pragma("temp_store = FILE");
    const before = deletedFiles();
    connection.exec("BEGIN IMMEDIATE");
    expect(inserter.insert(rowsOf(160))).toBe(160);
    const during = deletedFiles();
    connection.exec("ROLLBACK");
    connection.close();
    expect(during).toEqual(before);
  });

  it("takes the whole transaction back when a row is there already", () => {
    const connection = openConnection(join(folder, "conflict.db"));
    const inserter = new RowInserter(connection, ledger);
    const rows = rowsOf(20);
    connection.exec("BEGIN IMMEDIATE");
    expect(() => inserter.insert([...rows, rows[0]!])).toThrow(/UNIQUE/);
    expect(connection.inTransaction).toBe(false);
    expect(connection.prepare("SELECT count(*) FROM spent_tokens").pluck().get()).toBe(0);
    connection.close();
  });

  it("passes over rows that are there where it is told to, and says how many were not", () => {
    const connection = openConnection(join(folder, "skipped.db"));
    const inserter = new RowInserter(connection, { ...ledger, skipsConflicts: true });
    const rows = rowsOf(37);
    expect(inserter.insert(rows.slice(0, 20))).toBe(20);
    expect(inserter.insert(rows)).toBe(17);
    connection.close();
  });
});
