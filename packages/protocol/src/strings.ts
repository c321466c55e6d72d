import * as z from "zod";

// Lengths are counted in code points, as JSON Schema counts them; zod does the same.

/**
 * Identifiers must not contain control characters (Unicode's category Cc). Written as ranges, because
 * the pattern is part of openapi.yaml, and request generators do not support `\p{…}`.
 */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const withoutControlCharacters = /^[^\u0000-\u001f\u007f-\u009f]*$/;

/** An identifier is kept to the byte: never trimmed, folded or normalised. */
export function identifier(maximum = 1024) {
  return z
    .string()
    .min(1)
    .max(maximum)
    .regex(withoutControlCharacters, "has a control character")
    .refine((value) => value.isWellFormed(), "has a lone surrogate");
}

/** Prefix of imported people's ids; live ids must not begin with it, or a browser could act as an imported person. */
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

/** An answer must not be lost for a character that a database refuses, so U+FFFD replaces it. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\ufffd");
}

/** BCP 47: well-formed, and of a language that exists. */
function isLanguage(tag: string): boolean {
  try {
    const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
    return names.of(new Intl.Locale(tag).language) !== undefined;
  } catch {
    return false;
  }
}

/** The tag of a language, such as `de` or `pt-BR`. */
export const languageTag = z
  .string()
  .min(2)
  .max(35)
  .refine(isLanguage, "is not the BCP 47 tag of a known language, such as de or pt-BR");
