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

  it("ends the leases of what it erased, and no others", () => {
    const add = connection.prepare(`
      INSERT INTO responses (id, project_id, survey_id, survey_version, rating, at, source, score_state)
      VALUES (?, 'shop', ?, 1, 4, 1, 'measured', 'pending')`);
    const lease = connection.prepare("INSERT INTO leases VALUES (?, 'shop', 'worker', 2)");
    for (const survey of ["one", "two"]) lease.run(add.run(survey, survey).lastInsertRowid);
    connection.transaction(() => erase(connection, { projectId: "shop", surveyIds: ["one"] }))();
    const left = "SELECT survey_id FROM leases LEFT JOIN responses USING (sequence)";
    expect(connection.prepare(left).pluck().all()).toEqual(["two"]);
  });
});
