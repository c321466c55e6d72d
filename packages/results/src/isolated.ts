const isolates = /[\u2066-\u2069]/g;
const directional = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * A text that its reader did not write, for a line with other texts. Characters of its own that change the direction, such
 * as U+202E, end with it (UAX #9): FSI and PDI are put around it, and isolates inside, which could end those, are removed.
 * A text without such characters is not changed.
 */
export function isolated(text: string): string {
  return directional.test(text) ? `\u2068${text.replaceAll(isolates, "")}\u2069` : text;
}
