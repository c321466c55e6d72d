/**
 * A respondent's position in a survey's sample, 0 (included) to 100 (excluded). The same respondent and survey
 * always give the same position, so a reload does not draw again. FNV-1a over the UTF-8 of
 * respondent, U+0000 and survey, mixed. Test vectors for other languages: `vectors/sampling.json`.
 */
export function samplePosition(respondentId: string, surveyId: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${respondentId}\u0000${surveyId}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  // Spreads the bits: the last step of MurmurHash3.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32) * 100;
}
