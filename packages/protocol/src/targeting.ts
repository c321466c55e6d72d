import { type TargetingRule } from "./survey.ts";

function ruleHolds({ trait, op, value }: TargetingRule, traits: Record<string, unknown>): boolean {
  // Own properties only: `exists toString` must not match every object.
  const isPresent = Object.hasOwn(traits, trait);
  if (op === "exists") return isPresent === (value !== false);
  if (!isPresent) return false;
  const actual = traits[trait];
  if (op === "eq") return actual === value;
  if (op === "neq") return actual !== value;
  if (op === "in") return Array.isArray(value) && value.includes(actual);
  // Only two numbers or two strings can be ordered; any other pair does not match.
  if (typeof actual !== typeof value || !"number string".includes(typeof actual)) return false;
  const [left, right] = [actual as number, value as number];
  if (op === "gt") return left > right;
  if (op === "lt") return left < right;
  if (op === "gte") return left >= right;
  return op === "lte" && left <= right;
}

/* * Whether a respondent with these traits is in the survey's target group: all rules must match (decision D76).
 * Nothing is coerced, a missing trait matches only `exists` with the value `false`, an unknown operator matches
 * nothing. Test vectors for other languages: `vectors/targeting.json`.
 */
export function isTargeted(
  rules: readonly TargetingRule[] | undefined,
  traits: Record<string, unknown>,
): boolean {
  return (rules ?? []).every((rule) => ruleHolds(rule, traits));
}
