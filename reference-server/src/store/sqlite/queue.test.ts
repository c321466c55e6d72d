import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openConnection } from "./connection.ts";
import { queueMethods } from "./queue.ts";

it("what the queue asks SQLite is found by an index or a primary key in every table, never by reading through one", () => {
  const folder = mkdtempSync(join(tmpdir(), "afterword-plans-"));
  const connection = openConnection(join(folder, "a.db"));
  const prepare = connection.prepare.bind(connection);
  const statements: string[] = [];
  connection.prepare = ((text: string) => {
    statements.push(text);
    return prepare(text);
  }) as typeof prepare;
  const run = async <T>(work: () => T) => work();
  queueMethods({ connection, read: run, write: run });
  const plans = statements.filter((text) => /^\s*(select|update|delete)/i.test(text));
  const steps = plans.flatMap((text) => {
    const named = Object.fromEntries([...text.matchAll(/@(\w+)/g)].map(([, name]) => [name, 1]));
    const nothing = Array.from({ length: text.split("?").length - 1 }, () => 1);
    const plan = prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
    return plan.all(...nothing, named).map(({ detail }) => detail);
  });
  const tables = ["responses", "leases"];
  const looks = steps.filter((step) => tables.some((table) => step.split(" ").includes(table)));
  expect(looks.length).toBeGreaterThanOrEqual(tables.length);
  // Leases are counted and given back one by one: there are no more of them than scores that consumers hold.
  const others = looks.filter((look) => look !== "SCAN leases");
  expect(looks.length - others.length).toBe(3);
  for (const look of others)
    expect(look).toMatch(/^SEARCH .* USING (COVERING |INTEGER )?(PRIMARY KEY|INDEX) /);
  for (const state of ["pending", "failed"])
    expect(looks).toContainEqual(expect.stringContaining(`responses_${state} (project_id=? AND sequence>?)`));
  // A sort of the two pages that are merged into one, and of nothing longer.
  const sorted = steps.filter((_, index) => steps[index + 1]?.includes("TEMP B-TREE"));
  expect(new Set(sorted)).toEqual(new Set(["SCAN pending", "SCAN failed"]));
  connection.close();
  rmSync(folder, { recursive: true });
});
