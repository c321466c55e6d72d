import { ConfigurationError } from "../errors/afterword-error.ts";

/** Returns an address that paths are appended to. Errors leave out its value, which may hold a password. */
export function checkedBaseUrl(name: string, baseUrl: string): URL {
  const url = URL.parse(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigurationError(`${name} must be an absolute URL such as https://feedback.example.com.`);
  if (url.username || url.password || url.search || url.hash)
    throw new ConfigurationError(`${name} must have no user, password, query or fragment.`);
  return url;
}

/** Returns a whole number in its range. Throws a `ConfigurationError` that names the option otherwise. */
export function checkedWholeNumber(
  name: string,
  value: number,
  from: number,
  to = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`;
  throw new ConfigurationError(`${name} is ${value}; it must be a whole number ${range}.`);
}

const secretPrefix = /^(?:[a-z0-9]+_)?sk_/i;

/** Returns a key that can be publishable. Throws a `ConfigurationError` that does not quote it otherwise. */
export function checkedPublishableKey(key: string | undefined): string {
  if (!key)
    throw new ConfigurationError("No publishable key: pass publishableKey or set AFTERWORD_PUBLISHABLE_KEY.");
  if (!secretPrefix.test(key)) return key;
  throw new ConfigurationError(
    "publishableKey is a secret key, which must not be sent on public routes; pass the publishable key.",
  );
}
