import { sql } from "kysely";
import { type SqlDialect } from "../store/sql-dialect.ts";
import { beginningOf, indexedBeginning } from "./respondent-index.ts";

const beginning = sql.raw(indexedBeginning);

export const dialect: SqlDialect = {
  isRespondent: (ids) => sql`
    ${beginning} = ANY (${ids.map(beginningOf)}::text[]) AND respondent_id = ANY (${ids}::text[])`,
  isRespondentAfter: (id) => sql`${beginning} >= ${beginningOf(id)} AND respondent_id > ${id}`,
  respondentOrder: [beginning, sql.ref("respondent_id")],
};
