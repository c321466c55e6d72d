import { PostgresDialect, type PostgresPoolClient } from "kysely";
import { type ClientBase, type Pool } from "pg";
import { queriesOf, type Queries } from "../queries/query-runner.ts";

/** A connection, also inside a transaction; or the pool, where one statement stands for itself. */
export type Connection = Pick<ClientBase | Pool, "query">;

/** Replaces characters that PostgreSQL cannot hold, U+0000 and lone surrogates: a statement with one of them would fail. */
export function storable(parameter: unknown): unknown {
  if (typeof parameter === "string") return parameter.toWellFormed().replaceAll("\0", "\ufffd");
  return Array.isArray(parameter) ? parameter.map(storable) : parameter;
}

/** Queries of one connection. The caller begins and ends its transactions. */
export function queriesOn(connection: Connection): Queries {
  const client = {
    query: (text: string, parameters: readonly unknown[]) => connection.query(text, parameters.map(storable)),
    release: () => undefined,
  } as unknown as PostgresPoolClient;
  const pool = { connect: async () => client, end: async () => undefined, options: {} };
  return queriesOf(new PostgresDialect({ pool }));
}
