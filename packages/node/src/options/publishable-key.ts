import { ConfigurationError } from "../errors/afterword-error.ts";

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
