import { PostgresDialect, type PostgresPoolClient } from "kysely";
import { type ClientBase, type Pool, type QueryConfig, type QueryResult, type QueryResultRow } from "pg";
import { type Queries, queriesOf } from "@afterword/results/store";

/** A connection, also inside a transaction; or the pool, where one statement stands for itself. */
export type Connection = Pick<ClientBase | Pool, "query">;

/** Connections to a pooler, which hands each transaction to any of its connections: nothing may be left on one. */
const pooled = new WeakSet<Connection>();

/** @param pid of the process that answers. A pooler cannot give clients its id, by which they would cancel statements. */
export function notePooler(connection: Connection, pid: number): void {
  if ((connection as { processID?: number }).processID !== pid) pooled.add(connection);
}

export const isPooled = (connection: Connection): boolean => pooled.has(connection);

/** Executes a statement that the database parses and plans once for each connection, if the connection is its own. */
export function prepared<Row extends QueryResultRow>(
  connection: Connection,
  { name, ...statement }: QueryConfig<unknown[]>,
): Promise<QueryResult<Row>> {
  return connection.query<Row>(isPooled(connection) ? statement : { name, ...statement });
}

/** Replaces characters that PostgreSQL cannot hold, U+0000 and lone surrogates: a statement with one of them would fail. */
export function storable(parameter: unknown): unknown {
  if (typeof parameter === "string") return parameter.toWellFormed().replaceAll("\0", "\ufffd");
  return Array.isArray(parameter) ? parameter.map(storable) : parameter;
}

/** Executes a statement with parameters that PostgreSQL may be unable to hold. */
export const execute = <Row extends QueryResultRow>(
  connection: Connection,
  statement: string,
  parameters: readonly unknown[],
): Promise<QueryResult<Row>> => connection.query<Row>(statement, parameters.map(storable));

/** Queries of one connection. The caller begins and ends its transactions. */
export function queriesOn(connection: Connection): Queries {
  const client = {
    query: (text: string, parameters: readonly unknown[]) => connection.query(text, parameters.map(storable)),
    release: () => undefined,
  } as unknown as PostgresPoolClient;
  const pool = { connect: async () => client, end: async () => undefined, options: {} };
  return queriesOf(new PostgresDialect({ pool }));
}
