import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { askFactsMethod } from "./ask-facts.ts";
import { openConnection } from "./connection.ts";

const folder = mkdtempSync(join(tmpdir(), "afterword-ask-facts-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("what gating asks SQLite", () => {
  it("is found by an index or a primary key in every table, never by reading through one", () => {
    const connection = openConnection(join(folder, "a.db"));
    const statements: string[] = [];
    const prepare = connection.prepare.bind(connection);
    connection.prepare = ((text: string) => {
      statements.push(text);
      return prepare(text);
    }) as typeof prepare;
    askFactsMethod({ connection, read: async (run) => run(), write: async (run) => run() });
    const tables = ["projects", "suppression", "asks", "runs", "response_counts"];
    const steps = statements.flatMap((text) => {
      const nothing = Array.from({ length: text.split("?").length - 1 }, () => 1);
      const plan = prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
      return plan.all(...nothing).map(({ detail }) => detail);
    });
    const looks = steps.filter((step) => tables.some((table) => step.split(" ").includes(table)));
    expect(looks.length).toBeGreaterThanOrEqual(tables.length);
    for (const look of looks) expect(look).toMatch(/^SEARCH .* USING (COVERING )?(PRIMARY KEY|INDEX) /);
    expect(steps.filter((step) => step.includes("TEMP B-TREE"))).toEqual([]);
    connection.close();
  });
});
