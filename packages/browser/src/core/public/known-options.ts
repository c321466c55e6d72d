import type { AfterwordOptions } from "./options.ts";

/** An id as text: databases and templates give whole numbers. `undefined` for what is no id. */
export function idAsText(id: unknown): string | undefined {
  const isId = typeof id === "string" || typeof id === "bigint" || Number.isSafeInteger(id);
  return isId && id !== "" ? `${id as string}` : undefined;
}

/** The values of each option; none stands for any. `test` is the attribute for `testMode`. */
export const knownOptions: Record<keyof AfterwordOptions | "test", string> = {
  key: "",
  baseUrl: "",
  consent: "not-asked required granted",
  conversationId: "",
  linkedOnly: "true false",
  muted: "true false",
  test: "true false",
  testMode: "true false",
  debug: "true false",
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

/**
 * Whether an option has an unknown value, or is probably a known one misspelt: its first half is that of a known name. The
 * attributes of others, such as of a framework, begin in other ways.
 */
export function isMisspelt([name, value]: [name: string, value: unknown]): boolean {
  const half = name.slice(0, Math.max(3, name.length / 2));
  if (!Object.hasOwn(knownOptions, name))
    return Object.keys(knownOptions).some((known) => known.startsWith(half));
  if (name === "conversationId") return !!value && !idAsText(value);
  const values = knownOptions[name as "key"];
  if (values === knownOptions.muted && typeof value !== "string") return false;
  return !!value && !!values && !values.split(" ").includes(`${value as string}`);
}

/** Reads what templates write for a boolean: "" and the attribute's own name are true, as in HTML; what is neither stays. */
export function readBooleans(given: AfterwordOptions & { test?: boolean }): AfterwordOptions {
  const options: Record<string, unknown> = { testMode: given.test, ...given };
  for (const name in options) {
    const text = `${options[name] as string}`.toLowerCase().replace(/^data-|[- ]/g, "");
    const isBoolean = ["", "true", "false", name.toLowerCase()].includes(text);
    if (isBoolean && knownOptions[name as "key"] === knownOptions.muted) options[name] = text !== "false";
  }
  return options as unknown as AfterwordOptions;
}
