import { PostgresDialect, type PostgresPoolClient } from "kysely";
import { type ClientBase, type Pool } from "pg";
import { queriesOf, type Queries } from "../queries/query-runner.ts";

/** A connection, also inside a transaction; or the pool, where one statement stands for itself. */
export type Connection = Pick<ClientBase | Pool, "query">;

/** Escapes of U+0000 and of lone surrogates: PostgreSQL holds neither in a text. */
const unstorable = /\\u(0000|d[89a-f])/;

/**
 * Rows as one bound parameter. Characters that PostgreSQL cannot hold were refused or replaced on the wire already
 * (decision D58); here they are replaced so that one row can never cost the others their statement.
 */
export function storableJson(rows: readonly object[]): string {
  const json = JSON.stringify(rows);
  if (!unstorable.test(json)) return json;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "string" ? storableText(value) : value,
  );
}

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** Characters that no row can have must find nothing, rather than fail. */
function bound(parameter: unknown): unknown {
  if (typeof parameter === "string") return storableText(parameter);
  return Array.isArray(parameter) ? parameter.map(bound) : parameter;
}

/** Queries of one connection. The caller begins and ends its transactions. */
export function queriesOn(connection: Connection): Queries {
  const client = {
    query: (text: string, parameters: readonly unknown[]) => connection.query(text, parameters.map(bound)),
    release: () => undefined,
  } as unknown as PostgresPoolClient;
  const pool = { connect: async () => client, end: async () => undefined, options: {} };
  return queriesOf(new PostgresDialect({ pool }));
}
