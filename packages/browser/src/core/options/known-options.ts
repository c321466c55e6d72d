import type { AfterwordOptions } from "./options.ts";

/** The values of each option; none stands for any. `test` is the attribute for `testMode`. */
export const knownOptions: Record<keyof AfterwordOptions | "test", string> = {
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

/** Whether a key is secret. It is not even sent to be refused, because logs and proxies would see it. */
export const isSecret = (key: string): boolean => /^(\w+_)?sk_/.test(key);

/** Whether it takes at most so many insertions, deletions and replacements to get from one to the other. */
export function isNear(one: string, other: string, edits: number): boolean {
  if (!edits || !one || !other) return one === other || (one + other).length <= edits;
  if (one[0] === other[0]) return isNear(one.slice(1), other.slice(1), edits);
  return [
    [one.slice(1), other],
    [one, other.slice(1)],
    [one.slice(1), other.slice(1)],
  ].some(([one, other]) => isNear(one!, other!, edits - 1));
}

/** Whether an option is misspelt or has an unknown value. Attributes of others, such as of a framework, are neither. */
export function isMisspelt([name, value]: [name: string, value: unknown]): boolean {
  if (!Object.hasOwn(knownOptions, name))
    return Object.keys(knownOptions).some((known) => known.startsWith(name) || isNear(name, known, 2));
  const values = knownOptions[name as "key"];
  return !!value && !!values && !values.split(" ").includes(`${value as string}`);
}
