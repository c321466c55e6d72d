import { openStore } from "@afterword/server";
import { describe, expect, inject, it } from "vitest";
import { asOperator, freshPostgres } from "./postgres-database.ts";

const rowsOf = async (database: string, query: string) =>
  (await asOperator(database, (client) => client.query(query))).rows as Record<string, unknown>[];

const versionsOf = (database: string) => rowsOf(database, "SELECT version FROM schema_version");

/** Makes it a database of the first version, which differed in these columns and this table alone. */
const toFirstVersion = `ALTER TABLE responses DROP COLUMN run; ALTER TABLE surveys DROP COLUMN sampling; DROP TABLE run_counts;
  UPDATE schema_version SET version = 1`;

describe("the schema of a PostgreSQL database", () => {
  it("is not created in an empty one by a look, and is where it may be created", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    await expect(openStore(database, "none")).rejects.toThrow("has version 0");
    expect(await rowsOf(database, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    await (await openStore(database, "create")).close();
    await (await openStore(database, "none")).close();
  });

  it("is created once when several servers start at once", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(database)));
    expect(await versionsOf(database)).toHaveLength(1);
    await Promise.all(stores.map((store) => store.ping().then(() => store.close())));
  });

  it("of the first version is lifted to that of an empty database, and keeps what it held", async () => {
    const older = await freshPostgres(inject("postgresUrl"));
    await (await openStore(older)).close();
    await rowsOf(older, `${toFirstVersion}; INSERT INTO agreements VALUES ('kept', 'as it was')`);
    await expect(openStore(older, "none")).rejects.toThrow("has version 1");
    await (await openStore(older)).close();
    const fresh = await freshPostgres(inject("postgresUrl"));
    await (await openStore(fresh)).close();
    const columns = `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY 1, 2`;
    expect(await rowsOf(older, columns)).toEqual(await rowsOf(fresh, columns));
    expect(await rowsOf(older, "SELECT * FROM agreements")).toEqual([{ name: "kept", value: "as it was" }]);
  });

  it("is not changed while a long reader holds a table, since requests would wait behind the change", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    await (await openStore(database)).close();
    await rowsOf(database, toFirstVersion);
    await asOperator(database, async (reader) => {
      await reader.query("BEGIN; SELECT count(*) FROM responses");
      await expect(openStore(database)).rejects.toThrow(/another transaction holds a lock .* Start again/);
    });
    expect(await versionsOf(database)).toEqual([{ version: 1 }]);
    await (await openStore(database)).close();
  });

  it("of a newer server is used as it is, as long as that says that it still works with this one", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    await (await openStore(database)).close();
    await rowsOf(database, "UPDATE schema_version SET oldest = version, version = 9999");
    for (const change of ["none", "create", "migrate"] as const)
      await (await openStore(database, change)).close();
    expect(await versionsOf(database)).toEqual([{ version: 9999 }]);
  });

  it("of a newer server is refused and left as it is, and both versions are named", async () => {
    const database = await freshPostgres(inject("postgresUrl"));
    await (await openStore(database)).close();
    const [known] = await versionsOf(database);
    await rowsOf(database, "UPDATE schema_version SET oldest = 9998, version = 9999");
    for (const change of ["none", "create", "migrate"] as const) {
      const refused = `has version 9999 and this server knows ${known!["version"]}: run a newer server`;
      await expect(openStore(database, change)).rejects.toThrow(refused);
    }
    expect(await versionsOf(database)).toEqual([{ version: 9999 }]);
  });
});
