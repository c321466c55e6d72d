import { dayInMs } from "@afterword/protocol/duration";
import { sql } from "kysely";

/**
 * What the ledger keeps of a token whose record is gone: that it was used, and on which day, by which tokens of runs are
 * forgotten.
 */
export const blanked = {
  recordId: null,
  at: sql<number>`spent_tokens.at - spent_tokens.at % ${sql.lit(dayInMs)}`,
};
