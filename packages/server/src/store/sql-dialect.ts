import { type Expression, type RawBuilder, type SqlBool } from "kysely";

/** Where the tables of the two databases differ, and with them the queries that both get. */
export interface SqlDialect {
  /** Rows of these respondents, found by an index. */
  isRespondent(ids: readonly string[]): RawBuilder<SqlBool>;
  /** Rows of respondents who come after this one in the order of bytes. */
  isRespondentAfter(id: string): RawBuilder<SqlBool>;
  /** The same order, as the index has it. */
  respondentOrder: readonly Expression<unknown>[];
}
