import type { AfterwordOptions } from "./options.ts";

/** The values of each option; none stands for any. `test` is the attribute for `testMode`. */
const knownOptions: Record<keyof AfterwordOptions | "test", string> = {
  key: "",
  baseUrl: "",
  consent: "not-asked required granted",
  conversationId: "",
  linkedOnly: "",
  muted: "",
  test: "",
  testMode: "",
  debug: "",
  theme: "auto light dark",
  density: "comfortable compact",
  banner: "top bottom",
  language: "",
  direction: "ltr rtl",
  texts: "",
  privacyLink: "",
  askFollowUp: "never low always",
};

/** Whether it takes at most so many insertions, deletions and replacements to get from one to the other. */
function isNear(one: string, other: string, edits: number): boolean {
  if (!edits || !one || !other) return one === other || (one + other).length <= edits;
  if (one[0] === other[0]) return isNear(one.slice(1), other.slice(1), edits);
  return [
    [one.slice(1), other],
    [one, other.slice(1)],
    [one.slice(1), other.slice(1)],
  ].some(([one, other]) => isNear(one!, other!, edits - 1));
}

/** The name that was probably meant: a longer one, or one with a typing error or two. */
export const closestOf = (given: string, names: string[]): string | undefined =>
  names.find((name) => name.startsWith(given)) ??
  names.find((name) => isNear(given, name, 1)) ??
  names.find((name) => isNear(given, name, 2));

/** The values that this option takes; empty for any, `undefined` for an unknown option. */
export const valuesOf = (name: string): string | undefined =>
  Object.hasOwn(knownOptions, name) ? knownOptions[name as "key"] : undefined;

/** The known option that was probably meant. */
export const closestOption = (name: string) => closestOf(name, Object.keys(knownOptions));

/** Whether an option is misspelt or has an unknown value. Attributes of others, such as of a framework, are neither. */
export function isMisspelt([name, value]: [name: string, value: unknown]): boolean {
  const values = valuesOf(name);
  if (values === undefined) return !!closestOption(name);
  return !!value && !!values && !values.split(" ").includes(`${value as string}`);
}
