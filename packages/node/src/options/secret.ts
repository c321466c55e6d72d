import { ConfigurationError } from "../errors/afterword-error.ts";

/** Whether a text fits into a header: only visible ASCII, for example no line break that was copied along. */
export const isHeaderValue = (text: string) => /^[\x21-\x7e]+$/.test(text);

/** A key, or a function that is called before each request, so that keys can be rotated. */
export type Secret = string | (() => string | Promise<string>);

/**
 * Makes a function that returns the headers with the key, called before each request. A string is checked at once.
 * Messages call the key `name` and never contain it.
 */
export function secretHeaders(
  secret: Secret | undefined,
  name: string,
  headersWith: (key: string) => Record<string, string>,
  check = checkSecret,
): () => Promise<Record<string, string>> {
  if (typeof secret !== "function") check(secret, name);
  return async () => {
    const key = typeof secret === "function" ? await secret() : secret;
    return headersWith(check(key, name));
  };
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export const basic = (user: string) => (password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

/** Returns the key. Throws a `ConfigurationError` when it is missing or cannot be a header's value. */
export function checkSecret(secret: string | undefined, name: string): string {
  if (typeof secret !== "string" || secret === "") throw new ConfigurationError(`${name} is missing.`);
  if (!isHeaderValue(secret)) {
    throw new ConfigurationError(`${name} contains spaces or characters that an HTTP header cannot carry.`);
  }
  return secret;
}
