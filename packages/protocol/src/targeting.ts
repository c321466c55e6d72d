import { type TargetingRule } from "./survey.ts";

const comparisons: Record<string, (difference: number) => boolean> = {
  gt: (difference) => difference > 0,
  lt: (difference) => difference < 0,
  gte: (difference) => difference >= 0,
  lte: (difference) => difference <= 0,
};

/** Orders two numbers or two strings; anything else has no order and matches no comparison. */
function difference(left: unknown, right: unknown): number {
  const comparable = typeof left === typeof right && (typeof left === "number" || typeof left === "string");
  if (!comparable || left === null || right === null) return NaN;
  return (left as number) < (right as number)
    ? -1
    : (left as number) > (right as number)
      ? 1
      : left === right
        ? 0
        : NaN;
}

function ruleHolds(rule: TargetingRule, traits: Record<string, unknown>): boolean {
  const { trait, op, value } = rule;
  // Own properties only: `exists toString` must not match every object.
  const present = Object.hasOwn(traits, trait);
  if (op === "exists") return present === (value !== false);
  if (!present) return false;
  const actual = traits[trait];
  if (op === "eq") return actual === value;
  if (op === "neq") return actual !== value;
  if (op === "in") return Array.isArray(value) && value.includes(actual);
  return Object.hasOwn(comparisons, op) && comparisons[op]!(difference(actual, value));
}

/**
 * Whether a respondent with these traits is in the survey's target group: all rules must hold (decision D76).
 * Nothing is coerced, a missing trait matches only `exists` with the value `false`, an unknown operator matches
 * nothing. Test vectors for other languages: `vectors/targeting.json`.
 */
export function isTargeted(
  rules: readonly TargetingRule[] | undefined,
  traits: Record<string, unknown>,
): boolean {
  return (rules ?? []).every((rule) => ruleHolds(rule, traits));
}
