import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Compilable,
  type RawBuilder,
} from "kysely";
import { type Schema } from "../schema.ts";
import { type Connection } from "./connection.ts";

/**
 * Builds typed queries and runs none: better-sqlite3 answers synchronously, so a transaction never waits for anything
 * between its statements. Statements of the hot path are prepared once by hand instead.
 */
export const build = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** All rows of a query. */
export function all<Row>(connection: Connection, query: Compilable<Row>): Row[] {
  const { sql, parameters } = query.compile();
  return connection.prepare<unknown[], Row>(sql).all(...parameters);
}

/** Runs a statement and returns how many rows it changed. */
export function run(connection: Connection, query: Compilable<unknown> | RawBuilder<unknown>): number {
  const { sql, parameters } = query.compile(build);
  return connection.prepare(sql).run(...parameters).changes;
}
