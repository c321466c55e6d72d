import {
  CamelCasePlugin,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Compilable,
  type Expression,
  type RawBuilder,
  type SqlBool,
  type UnknownRow,
} from "kysely";
import { type Schema } from "../schema.ts";

/** Columns and tables have names in camel case here, and with underscores in the databases. */
class Names extends CamelCasePlugin {
  override camelCase(name: string): string {
    return super.camelCase(name);
  }
}
const names = new Names();

/** Builds statements and runs none; each database compiles them for itself. */
export const build = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  plugins: [names],
});

export type Statement<Row = unknown> = (Compilable<Row> | RawBuilder<Row>) & {
  toOperationNode(): unknown;
};

export interface StatementResult {
  rows: UnknownRow[];
  /** Rows that were added, changed or deleted. */
  changes: number;
}

/**
 * Statements and what follows from their results, written once for both databases. A generator, because SQLite answers
 * synchronously, and nothing may come between the statements of its transaction, while PostgreSQL answers later: it
 * yields each statement and is resumed with its result.
 */
export type Work<Result> = Generator<Statement, Result, StatementResult>;

/** All rows of a statement, for `yield*`. */
export function* rowsOf<Row>(statement: Statement<Row>): Work<Row[]> {
  const { rows } = yield statement;
  // Once per result: exports have millions of rows.
  const columns = Object.keys(rows[0] ?? {}).map((column) => [column, names.camelCase(column)] as const);
  return rows.map((row) => {
    const renamed: UnknownRow = {};
    for (const [column, name] of columns) renamed[name] = row[column];
    return renamed as Row;
  });
}

/** How many rows a statement adds, changes or deletes, for `yield*`. */
export function* changedBy(statement: Statement): Work<number> {
  const { changes } = yield statement;
  return changes;
}

/** Runs work on a database. Work is handed over as a function, since a lost connection or a collision repeats it. */
export interface WorkRunner {
  /** Statements that change nothing, each for itself. */
  read<Result>(work: () => Work<Result>): Promise<Result>;
  /** Statements of one transaction. */
  write<Result>(work: () => Work<Result>): Promise<Result>;
}

/** Where the tables of the two databases differ, and with them the shared queries. */
export interface Dialect {
  /** Rows of these respondents, found by an index. */
  isRespondent(ids: readonly string[]): RawBuilder<SqlBool>;
  /** Rows of respondents who come after this one in the order of bytes. */
  isRespondentAfter(id: string): RawBuilder<SqlBool>;
  /** The same order, as the index has it. */
  respondentOrder: readonly Expression<unknown>[];
  /** Adds to the number of a survey's responses. */
  addToCount(projectId: string, surveyId: string, responses: number): Statement;
}
