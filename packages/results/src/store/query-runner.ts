import { CamelCasePlugin, Kysely, type Dialect } from "kysely";
import { type Schema } from "./schema.ts";

/** Queries of one database; inside a transaction those of its connection. */
export type Queries = Kysely<Schema>;

/** Columns and tables have names in camel case here, and with underscores in the databases. */
export const queriesOf = (dialect: Dialect): Queries =>
  new Kysely<Schema>({ dialect, plugins: [new CamelCasePlugin()] });

type Run = <Result>(work: (queries: Queries) => Promise<Result>) => Promise<Result>;

/** Runs queries on a database. They are handed over as a function, since a lost connection or a collision repeats them. */
export interface QueryRunner {
  /** Statements that change nothing, each for itself. */
  readonly read: Run;
  /** Statements of one transaction. They must wait for nothing but the database. */
  readonly write: Run;
}
