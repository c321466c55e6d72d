import { type Expression, type RawBuilder, type SqlBool } from "kysely";

/** Where the tables of the two databases differ, and with them the shared queries. */
export interface SqlDialect {
  /** Rows of these respondents, found by an index. */
  isRespondent(ids: readonly string[]): RawBuilder<SqlBool>;
  /** Rows of respondents who come after this one in the order of bytes. */
  isRespondentAfter(id: string): RawBuilder<SqlBool>;
  /** The same order, as the index has it. */
  respondentOrder: readonly Expression<unknown>[];
  /** Ends a query whose rows this transaction is going to change; absent where it has the database for itself. */
  lockingRows?: RawBuilder<unknown>;
  /** Ends such a query that passes over rows that another transaction is changing; absent as above. */
  skippingLocked?: RawBuilder<unknown>;
  /** Tokens that are one per run have this id or a greater one. */
  firstRunToken: RawBuilder<unknown>;
}
