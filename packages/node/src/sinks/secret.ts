import { ConfigurationError } from "../errors/configuration-error.ts";
import { isHeaderValue } from "../options/is-header-value.ts";

/** A key as it is, or a function that is asked before each request, so that keys can be rotated. */
export type Secret = string | (() => string | Promise<string>);

/**
 * Makes what gives the headers that carry a key, before each request. A key that is given as it is, is checked at
 * once; `name` is what messages call it, which never hold the key.
 */
export function secretHeaders(
  secret: Secret,
  name: string,
  headersWith: (key: string) => Record<string, string>,
): () => Promise<Record<string, string>> {
  if (typeof secret !== "function") checkSecret(secret, name);
  return async () => {
    const key = typeof secret === "function" ? await secret() : secret;
    return headersWith(checkSecret(key, name));
  };
}

/** Throws a `ConfigurationError` when a key is made that no request could carry. */
export function checkSecret(secret: string, name: string): string {
  if (typeof secret !== "string" || secret === "") throw new ConfigurationError(`${name} is missing.`);
  if (!isHeaderValue(secret)) {
    throw new ConfigurationError(`${name} holds spaces or characters that an HTTP header cannot carry.`);
  }
  return secret;
}
