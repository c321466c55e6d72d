import { type SurveyDefinition, type TargetingRule } from "./survey.ts";

function ruleHolds({ trait, op, value }: TargetingRule, traits: Record<string, unknown>): boolean {
  // Own properties only: `exists toString` must not match every object.
  const isPresent = Object.hasOwn(traits, trait);
  if (op === "exists") return isPresent === (value !== false);
  if (!isPresent) return false;
  const actual = traits[trait] as number;
  const bound = value as number;
  // Only two numbers or two strings can be ordered; any other pair does not match.
  const isOrdered = typeof actual === typeof value && "number string".includes(typeof actual);
  const results: Record<string, unknown> = {
    eq: actual === bound,
    neq: actual !== bound,
    in: Array.isArray(value) && value.includes(actual),
    gt: isOrdered && actual > bound,
    lt: isOrdered && actual < bound,
    gte: isOrdered && actual >= bound,
    lte: isOrdered && actual <= bound,
  };
  return results[op] === true;
}

/**
 * Whether a respondent with these traits is in the survey's target group: all rules must match.
 * Nothing is coerced, a missing trait matches only `exists` with the value `false`, an unknown operator matches
 * nothing. Test vectors for other languages: `vectors/targeting.json`.
 */
export function isTargeted(
  rules: readonly TargetingRule[] | undefined,
  traits: Record<string, unknown>,
): boolean {
  return (rules ?? []).every((rule) => ruleHolds(rule, traits));
}

/**
 * Why the targeting of a survey leaves a respondent with these traits out; `undefined` when it does not. `unsupported`: it
 * is not a list of rules. Apart from `whyNotShown`, so that a browser loads it only for a survey with targeting.
 */
export function whyNotTargeted(
  { targeting }: Pick<SurveyDefinition, "targeting">,
  traits: Record<string, unknown>,
): "targeting" | "unsupported" | undefined {
  try {
    return isTargeted(targeting, traits) ? undefined : "targeting";
  } catch {
    return "unsupported";
  }
}
