import { sql } from "kysely";
import { type SqlDialect } from "../store/sql-dialect.ts";

export const dialect: SqlDialect = {
  isRespondent: (ids) => sql`respondent_id IN (${sql.join(ids)})`,
  isRespondentAfter: (id) => sql`respondent_id > ${id}`,
  respondentOrder: [sql.ref("respondent_id")],
};
