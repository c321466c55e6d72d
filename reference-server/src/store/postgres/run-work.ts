import { createQueryId, PostgresQueryCompiler, type RootOperationNode } from "kysely";
import { type ClientBase, type Pool } from "pg";
import { type Statement, type StatementResult, type Work } from "../queries/work.ts";

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

async function execute(connection: Connection, statement: Statement): Promise<StatementResult> {
  const node = statement.toOperationNode() as RootOperationNode;
  const { sql, parameters } = new PostgresQueryCompiler().compileQuery(node, createQueryId());
  const { rows, rowCount } = await connection.query(sql, parameters.map(bound));
  return { rows, changes: rowCount ?? 0 };
}

/** Runs work. Statements of the hot path are written by hand and prepared once instead. */
export async function runWork<Result>(connection: Connection, work: Work<Result>): Promise<Result> {
  let step = work.next();
  while (!step.done) step = work.next(await execute(connection, step.value));
  return step.value;
}
