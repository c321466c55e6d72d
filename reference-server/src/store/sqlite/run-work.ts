import { createQueryId, SqliteQueryCompiler, type RootOperationNode } from "kysely";
import { type Statement, type StatementResult, type Work } from "../queries/work.ts";
import { type Connection } from "./connection.ts";

function execute(connection: Connection, statement: Statement): StatementResult {
  const node = statement.toOperationNode() as RootOperationNode;
  const { sql, parameters } = new SqliteQueryCompiler().compileQuery(node, createQueryId());
  const prepared = connection.prepare<unknown[], Record<string, unknown>>(sql);
  if (prepared.reader) return { rows: prepared.all(...parameters), changes: 0 };
  return { rows: [], changes: prepared.run(...parameters).changes };
}

/** Runs work at once. Statements of the hot path are prepared once by hand instead. */
export function runWork<Result>(connection: Connection, work: Work<Result>): Result {
  let step = work.next();
  while (!step.done) step = work.next(execute(connection, step.value));
  return step.value;
}
