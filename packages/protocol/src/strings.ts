import * as z from "zod";

// Lengths are counted in code points, as JSON Schema counts them; zod does the same (decision D57).

/**
 * No control characters (Unicode's category Cc), which no identifier may hold (decisions D58 and D59). As ranges, because
 * the pattern is part of openapi.yaml, and generators of requests do not know `\p{…}`.
 */
// oxlint-disable-next-line no-control-regex -- it is what the pattern is about
const withoutControlCharacters = /^[^\u0000-\u001f\u007f-\u009f]*$/;

/** The most code points of an identifier for which the contract sets no limit (decision D59). */
const longestIdentifier = 1024;

/** An identifier is kept to the byte: never trimmed, folded or normalised. */
export function identifier(maximum: number = longestIdentifier) {
  return z
    .string()
    .min(1)
    .max(maximum)
    .regex(withoutControlCharacters, "has a control character")
    .refine((value) => value.isWellFormed(), "has a lone surrogate");
}

/** Identifiers of imported people begin so; live ones must not (decision D81). */
export const importedPrefix = "imp_";

/** A respondent's id as a live client may send it. */
export function liveRespondentId(maximum?: number) {
  return identifier(maximum)
    .refine(
      (value) => !value.startsWith(importedPrefix),
      "begins with imp_, which is reserved for imported people",
    )
    .meta({ not: { pattern: `^${importedPrefix}` } });
}

/** What people wrote is never refused for one bad character: it is replaced by U+FFFD (decision D58). */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\ufffd");
}

/** Free text of a person. */
export function freeText(maximum: number) {
  return z.string().max(maximum).transform(storableText);
}
