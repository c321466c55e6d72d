/** Escapes of U+0000 and of lone surrogates: PostgreSQL holds neither in a text. */
const unstorable = /\\u(0000|d[89a-f])/;

/**
 * Rows as one bound parameter. Characters that PostgreSQL cannot hold were refused or replaced on the wire already
 * (decision D58); here they are replaced so that one row can never cost the others their statement.
 */
export function storableJson(rows: readonly object[]): string {
  const json = JSON.stringify(rows);
  if (!unstorable.test(json)) return json;
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "string" ? storableText(value) : value,
  );
}

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}
