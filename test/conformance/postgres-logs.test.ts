import { readFileSync } from "node:fs";
import { expect, inject, it } from "vitest";
import { ServerFolder } from "../end-to-end/server-program.ts";
import { freshPostgres } from "./postgres-database.ts";

it("no command writes over the logs of any of several servers on one PostgreSQL, which no flag names", async () => {
  using folder = new ServerFolder();
  const db = ["--db", await freshPostgres(inject("postgresUrl"))];
  await folder.run("project", "create", "shop", ...db);
  const serve = (node: string) =>
    folder.serve(...db, "--erasure-log", `erasures-${node}.jsonl`, "--audit-file", `audit-${node}.jsonl`);
  const servers = await Promise.all([serve("one"), serve("two")]);
  for (const node of ["one", "two"]) {
    for (const name of [`erasures-${node}.jsonl`, `audit-${node}.jsonl`]) {
      const before = readFileSync(folder.file(name), "utf8");
      const { code, error } = await folder.run("responses", "export", "shop", name, "--yes", ...db);
      expect([code, error]).toEqual([3, expect.stringContaining("of a server: choose another")]);
      expect(readFileSync(folder.file(name), "utf8")).toBe(before);
    }
  }
  await Promise.all(servers.map((server) => server.stop()));
});

it("`backup` on PostgreSQL says which tool of PostgreSQL does it", async () => {
  using folder = new ServerFolder();
  const database = await freshPostgres(inject("postgresUrl"));
  await folder.run("project", "create", "shop", "--db", database);
  const { code, error } = await folder.run("backup", "copy.db", "--db", database);
  expect(code).toBe(3);
  expect(error).toContain("pg_dump --format=custom");
});
