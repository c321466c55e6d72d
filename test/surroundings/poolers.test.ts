import { writeFileSync } from "node:fs";
import { ApiClient } from "@afterword/conformance";
import { describe, expect, inject, it } from "vitest";
import { apiSuite } from "../conformance/api.suite.ts";
import { keysOf, project, survey } from "../conformance/api/projects.ts";
import { openPostgresWorld } from "../conformance/api/postgres-world.ts";
import { asOperator, freshPostgres } from "../conformance/postgres-database.ts";
import { ServerFolder } from "../end-to-end/server-program.ts";
import { hasPgBouncer, startPgBouncer, type PgBouncerOptions } from "./pgbouncer.ts";

const ignored = "statement_timeout, lock_timeout, idle_in_transaction_session_timeout, extra_float_digits";
// A session pool has to have as many connections as a server and its commands open.
const arrangements: PgBouncerOptions[] = [
  { mode: "session", poolSize: 40 },
  { mode: "transaction" },
  { mode: "transaction", ignored, poolSize: 1 },
];

const commands = [
  "migrate",
  "doctor --erasure-log log.jsonl",
  "results --project shop",
  "project create store",
  "key rotate-master",
  "responses export shop all.jsonl --yes",
  "subject-report shop --respondent person-1",
  "retention --clock-is-right --yes",
  "backup --record",
  "restore --erasure-log log.jsonl --yes",
];

const config = { rateLimits: false, projects: [project("shop", { surveys: [survey("nps")] })] };

/** What the sessions of PostgreSQL that PgBouncer gives to everyone have been left with. */
const leftOnSession = `
  SELECT name, setting FROM pg_settings WHERE source = 'session' AND name LIKE '%timeout'
  UNION ALL SELECT name, statement FROM pg_prepared_statements
  UNION ALL SELECT 'advisory lock', pid::text FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

describe.runIf(hasPgBouncer)("PgBouncer", () => {
  it.each(arrangements)(
    "serves a server and every command in the arrangement %j, stores all of 90 answers at once, and keeps no state",
    async (options) => {
      const database = await freshPostgres(inject("postgresUrl"));
      await using pooler = await startPgBouncer(database, options);
      using folder = new ServerFolder();
      const db = ["--db", pooler.through(database)];
      writeFileSync(folder.file("config.json"), JSON.stringify(config));
      await using server = await folder.serve(...db, "--config", "config.json", "--erasure-log", "log.jsonl");
      const client = new ApiClient(server.url, keysOf("shop"));
      const people = Array.from({ length: 90 }, (_, index) => `person-${index}`);
      const stored = await Promise.all(
        people.map((person) => client.answer("nps", person, { text: person })),
      );
      expect(new Set(stored).size).toBe(people.length);
      expect((await client.erase({ respondentId: "person-7" })).json).toMatchObject({ responsesDeleted: 1 });
      const { responses } = (await client.export()).json as { responses: unknown[] };
      expect(responses).toHaveLength(people.length - 1);
      for (const command of options === arrangements[0] ? commands.slice(0, 3) : commands) {
        const { code, error } = await folder.run(...command.split(" "), ...db);
        // The database of the tests neither waits for its disk nor has checksums.
        const wanted = command.startsWith("doctor") ? 5 : 0;
        expect({ command, code, error }).toEqual({ command, code: wanted, error: expect.any(String) });
      }
      const left = await asOperator(pooler.through(database), (operator) => operator.query(leftOnSession));
      expect(left.rows).toEqual([]);
    },
  );

  it.each([{ mode: "statement" }, { mode: "statement", ignored }] as const)(
    "in the arrangement %j, which allows no transactions, is refused in one line that says which address to use",
    async (options) => {
      const database = await freshPostgres(inject("postgresUrl"));
      await using pooler = await startPgBouncer(database, options);
      using folder = new ServerFolder();
      for (const command of ["serve --port 0", "migrate", "project list", "project create shop"]) {
        const { code, error } = await folder.run(...command.split(" "), "--db", pooler.through(database));
        expect({ command, code }).toEqual({ command, code: 2 });
        expect(error).toMatch(
          /^The pooler at 127\.0\.0\.1:\d+ allows no transactions .* Put the address of .* into the database URL\.\n$/,
        );
      }
    },
  );
});

describe.runIf(hasPgBouncer)("behind PgBouncer in transaction mode", () => {
  const open = async () => {
    const server = inject("postgresUrl");
    const pooler = await startPgBouncer(server);
    const world = await openPostgresWorld(pooler.through(server));
    const dispose = async () => {
      await world.dispose();
      await pooler[Symbol.asyncDispose]();
    };
    return { ...world, dispose };
  };
  apiSuite("on a pooled PostgreSQL", open, {
    only: ["submit", "gating", "queue", "privacy", "runCounts"],
  });
});
