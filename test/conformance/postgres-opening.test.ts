import { openStore } from "@afterword/server";
import { describe, expect, inject, it } from "vitest";
import { asOperator, freshPostgres } from "./postgres-database.ts";
import { addProject, response } from "./store-world.ts";

const fresh = () => freshPostgres(inject("postgresUrl"));

/** The URL of a database with other parameters. */
function withParameters(database: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(database);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

const nameOf = (database: string) => new URL(database).pathname.slice(1);

/** What opening is refused with. */
async function refusal(database: string): Promise<Error> {
  const opened = await openStore(database).catch((error: Error) => error);
  if (opened instanceof Error) return opened;
  await opened.close();
  throw new Error("The database was opened.");
}

describe("opening a PostgreSQL database", () => {
  it("is refused where a crash would take back acknowledged answers, with what to do", async () => {
    const database = withParameters(await fresh(), { durability: undefined });
    const { message } = await refusal(database);
    expect(message).toMatch(/^fsync is off .* Switch it on, or add durability=unsafe/);
  });

  it("is refused while commits are not waited for, although the disk is", async () => {
    const database = await fresh();
    const turnOff = `ALTER DATABASE ${nameOf(database)} SET synchronous_commit = off`;
    await asOperator(database, (client) => client.query(turnOff));
    const { message } = await refusal(withParameters(database, { durability: "safe" }));
    expect(message).toMatch(/^synchronous_commit is off /);
  });

  it("is refused when texts could not be stored, with what to do", async () => {
    const database = await fresh();
    const name = `${nameOf(database)}_ascii`;
    const create = `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' TEMPLATE template0`;
    await asOperator(database, (client) => client.query(create));
    const { message } = await refusal(database.replace(nameOf(database), name));
    expect(message).toContain("its encoding is SQL_ASCII; create it with ENCODING 'UTF8'");
  });

  it("is refused when there is none of this name, with what to do", async () => {
    const database = withParameters(await fresh(), { durability: undefined });
    const { message } = await refusal(database.replace(nameOf(database), "not_there"));
    expect(message).toMatch(/there is no database of this name at \S+:\d+ \(3D000\)\. Create it/);
  });

  it("leaves half a migration undone when it fails", async () => {
    const database = await fresh();
    await asOperator(database, (client) => client.query("CREATE TABLE agreements (in_the_way integer)"));
    expect((await refusal(database)).message).toContain("agreements");
    const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";
    const { rows } = await asOperator(database, (client) => client.query(tables));
    expect(rows).toEqual([{ tablename: "agreements" }]);
  });

  it("lets a migration take longer than any other statement may", async () => {
    const database = await fresh();
    const waiting = `
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND query_start < clock_timestamp() - interval '2 seconds'`;
    await asOperator(database, async (operator) => {
      // In the way of the migration, which waits for what becomes of it.
      await operator.query("BEGIN");
      await operator.query("CREATE TABLE agreements (in_the_way integer)");
      const limits = { statement_timeout: "1000", query_timeout: "1500" };
      const opening = openStore(withParameters(database, limits));
      const state = { isOver: false };
      const ended = opening
        .catch((error: unknown) => error)
        .finally(() => {
          state.isOver = true;
        });
      await asOperator(database, async (observer) => {
        while (!state.isOver && (await observer.query(waiting)).rowCount === 0);
      });
      await operator.query("ROLLBACK");
      expect(await ended).not.toBeInstanceOf(Error);
      await (await opening).close();
    });
  });

  it("takes no more connections than pool_size, and a few for long work", async () => {
    const database = withParameters(await fresh(), { pool_size: "3" });
    const store = await openStore(database);
    const project = await addProject(store);
    const work = Array.from({ length: 60 }, () => [store.submit(response(project)), store.ping()]).flat();
    await Promise.all(work);
    const count = "SELECT count(*)::integer AS open FROM pg_stat_activity WHERE datname = current_database()";
    const { rows } = await asOperator(database, (client) => client.query<{ open: number }>(count));
    await store.close();
    expect(rows[0]!.open - 1).toBeLessThanOrEqual(3 + 8);
  });
});
