import { limits } from "./limits.ts";

/**
 * Shortens why a sink refused a score to what an acknowledgement may carry (contract, section "Extensions"): at most 80
 * characters, counted in code points, without control characters. Absent if nothing is left.
 */
export function failureReason(reason: string): string | undefined {
  const characters = [
    ...reason
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, " ")
      .trim(),
  ];
  if (characters.length === 0) return undefined;
  if (characters.length <= limits.reason) return characters.join("");
  return `${characters.slice(0, limits.reason - 1).join("")}…`;
}
