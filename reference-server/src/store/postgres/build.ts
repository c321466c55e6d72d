import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Compilable,
  type RawBuilder,
} from "kysely";
import { type ClientBase, type Pool, type QueryResultRow } from "pg";
import { type Schema } from "../schema.ts";
import { storableText } from "./storable-json.ts";

/** As both databases have it, but responses are counted in several rows per survey. */
interface PostgresSchema extends Omit<Schema, "response_counts"> {
  response_counts: Schema["response_counts"] & { shard: number };
}

/** Builds typed queries and runs none. Statements of the hot path are written by hand and prepared once. */
export const build = new Kysely<PostgresSchema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** A connection, also inside a transaction; or the pool, where one statement stands for itself. */
export type Connection = Pick<ClientBase | Pool, "query">;

/** Characters that no row can have must find nothing, rather than fail. */
function bound(parameter: unknown): unknown {
  if (typeof parameter === "string") return storableText(parameter);
  return Array.isArray(parameter) ? parameter.map(bound) : parameter;
}

/** All rows of a query. */
export async function all<Row>(
  connection: Connection,
  query: Compilable<Row> | RawBuilder<Row>,
): Promise<Row[]> {
  const { sql, parameters } = query.compile(build);
  const { rows } = await connection.query<Row & QueryResultRow>(sql, parameters.map(bound));
  return rows;
}

/** Runs a statement and returns how many rows it changed. */
export async function run(connection: Connection, query: Compilable<unknown>): Promise<number> {
  const { sql, parameters } = query.compile();
  const { rowCount } = await connection.query(sql, parameters.map(bound));
  return rowCount ?? 0;
}
