import { sql } from "kysely";

/**
 * An index of PostgreSQL takes no key of more than a third of a page, and a respondent's id may have 4,096 bytes
 * (decision D59). So the indexes hold the beginning of each, which is the whole of nearly all; see the migrations.
 */
const indexedCharacters = 256;

/** As `left` of PostgreSQL cuts: code points. */
const beginningOf = (id: string) =>
  id.length <= indexedCharacters ? id : [...id].slice(0, indexedCharacters).join("");

/** What the indexes hold of a row's id. */
export const indexedBeginning = sql<string>`left(respondent_id, ${sql.lit(indexedCharacters)})`;

/** True for the rows of these respondents and hardly any others. Goes beside the comparison of the whole ids. */
export function beginsAsOneOf(ids: readonly string[]) {
  return sql<boolean>`${indexedBeginning} = ANY (${ids.map(beginningOf)}::text[])`;
}

/** The same for ids that come after this one, in the order of their bytes. */
export const beginsNotBefore = (id: string) => sql<boolean>`${indexedBeginning} >= ${beginningOf(id)}`;
