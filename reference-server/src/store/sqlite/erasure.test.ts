import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openConnection, type Connection } from "./connection.ts";
import { erase } from "./erasure.ts";
import { runWork } from "./run-work.ts";

const day = 86_400_000;
const noon = 20_000 * day + day / 2;

interface Ask {
  hash: string;
  survey: string;
  at: number;
  times: number;
}

describe("what stays of suppression after an erasure", () => {
  let folder: string;
  let connection: Connection;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "afterword-erasure-"));
    connection = openConnection(join(folder, "a.db"));
  });
  afterEach(() => {
    connection.close();
    rmSync(folder, { recursive: true });
  });

  function ask(person: string, at: number, survey = "one"): void {
    const add = `
      INSERT INTO asks VALUES ('shop', ?, ?, ?, 1)
      ON CONFLICT DO UPDATE SET times = times + 1`;
    connection.prepare(add).run(Buffer.from(person), survey, at);
  }

  const asks = () =>
    connection
      .prepare<[], Ask>(
        "SELECT CAST(respondent_hash AS TEXT) AS hash, survey_id AS survey, at, times FROM asks ORDER BY 1, 2, 3",
      )
      .all();

  /** Statements that an erasure of the survey `one` takes. */
  function statementsOfErasure(): number {
    let statements = 0;
    const prepare = connection.prepare.bind(connection);
    connection.prepare = ((text: string) => {
      statements += 1;
      return prepare(text);
    }) as typeof prepare;
    runWork(connection, erase({ projectId: "shop", surveyIds: ["one"] }));
    connection.prepare = prepare;
    return statements;
  }

  it("is one row of each person and survey, with the day of the last ask and the sum of all", () => {
    for (const at of [noon - 40 * day, noon - 2, noon - 1, noon, noon]) ask("ada", at);
    ask("bob", noon - day);
    ask("ada", noon, "two");
    const counts = runWork(connection, erase({ projectId: "shop", surveyIds: ["one"] }));
    expect(counts.suppressionRetained).toBe(2);
    expect(asks()).toEqual([
      { hash: "ada", survey: "one", at: 20_000 * day, times: 5 },
      { hash: "ada", survey: "two", at: noon, times: 1 },
      { hash: "bob", survey: "one", at: 19_999 * day, times: 1 },
    ]);
  });

  it("takes in a row that stands at midnight already, once, however often it is erased", () => {
    for (const at of [noon, 20_000 * day, 19_000 * day]) ask("ada", at);
    for (let times = 0; times < 2; times++) {
      const ada = { id: "ada", hash: Buffer.from("ada") };
      expect(runWork(connection, erase({ projectId: "shop", respondents: [ada] })).suppressionRetained).toBe(
        1,
      );
      expect(asks()).toEqual([{ hash: "ada", survey: "one", at: 20_000 * day, times: 3 }]);
    }
  });

  it("takes as many statements for a thousand people as for one", () => {
    ask("ada", noon);
    const forOne = statementsOfErasure();
    connection.transaction(() => {
      for (let person = 0; person < 1000; person++) ask(`person ${person}`, noon);
    })();
    expect(statementsOfErasure()).toBe(forOne);
    expect(asks()).toHaveLength(1001);
  });
});
