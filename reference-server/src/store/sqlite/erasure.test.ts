import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import Database from "better-sqlite3";
import { openConnection, type Connection } from "./connection.ts";
import { erase } from "./erasure.ts";

describe("an erasure of a survey", () => {
  let folder: string;
  let connection: Connection;
  let statements = 0;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "afterword-erasure-"));
    const path = join(folder, "a.db");
    openConnection(path).close();
    connection = new Database(path, { verbose: () => void (statements += 1) });
  });
  afterEach(() => {
    connection.close();
    rmSync(folder, { recursive: true });
  });

  function suppress(person: string): void {
    const add = "INSERT INTO suppression VALUES ('shop', ?, 'one', 1700000000002, 0, 0)";
    connection.prepare(add).run(Buffer.from(person));
  }

  /** Statements that an erasure of the survey `one` takes. */
  function statementsOfErasure(): number {
    statements = 0;
    const erasing = { projectId: "shop", surveyIds: ["one"] };
    connection.transaction(() => erase(connection, erasing))();
    return statements;
  }

  it("takes as many statements for a thousand people as for one", () => {
    suppress("ada");
    const forOne = statementsOfErasure();
    connection.transaction(() => {
      for (let person = 0; person < 1000; person++) suppress(`person ${person}`);
    })();
    expect(statementsOfErasure()).toBe(forOne);
    expect(connection.prepare("SELECT count(*) FROM suppression").pluck().get()).toBe(1001);
  });
});
