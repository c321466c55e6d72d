import { sql } from "kysely";
import { type SqlDialect } from "../store/sql-dialect.ts";

/**
 * An index of PostgreSQL takes no key of more than a third of a page, and a respondent's id may have 4,096 bytes. So the
 * indexes hold the beginning of each, which is the whole of nearly all; see the migrations.
 */
const indexedCharacters = 256;

/** As `left` of PostgreSQL cuts: code points. */
const beginningOf = (id: string) =>
  id.length <= indexedCharacters ? id : [...id].slice(0, indexedCharacters).join("");

/** What the indexes hold of a row's id. */
const indexedBeginning = sql<string>`left(respondent_id, ${sql.lit(indexedCharacters)})`;

export const dialect: SqlDialect = {
  isRespondent: (ids) => sql`
    ${indexedBeginning} = ANY (${ids.map(beginningOf)}::text[]) AND respondent_id = ANY (${ids}::text[])`,
  isRespondentAfter: (id) => sql`${indexedBeginning} >= ${beginningOf(id)} AND respondent_id > ${id}`,
  respondentOrder: [indexedBeginning, sql.ref("respondent_id")],
  lockingRows: sql`FOR NO KEY UPDATE`,
  skippingLocked: sql`FOR UPDATE SKIP LOCKED`,
  firstRunToken: sql`'\\xffff'`,
};
