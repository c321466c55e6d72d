/**
 * An index of PostgreSQL takes no key of more than a third of a page, and a respondent's id may have 4,096 bytes. So the
 * indexes hold the beginning of each, which is the whole of nearly all; see the migrations.
 */
const indexedCharacters = 256;

/** As `left` of PostgreSQL cuts: code points. */
export const beginningOf = (id: string) =>
  id.length <= indexedCharacters ? id : [...id].slice(0, indexedCharacters).join("");

/** What the indexes hold of a row's id. */
export const indexedBeginning = `left(respondent_id, ${indexedCharacters})`;

/** Matches the respondents in parameters `$place` and `$place + 1`, from `respondentParameters`; all rows when they are null. */
export const isRespondent = (place: number) =>
  `($${place}::text[] IS NULL OR ${indexedBeginning} = ANY ($${place + 1}::text[]) AND respondent_id = ANY ($${place}))`;

export const respondentParameters = (ids: readonly string[] | undefined) =>
  ids ? [ids, ids.map(beginningOf)] : [null, null];
