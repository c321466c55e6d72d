import { ConfigurationError } from "../errors/configuration-error.ts";

const secretPrefix = /^(?:[a-z0-9]+_)?sk_/i;

/** The key itself, if it can be a publishable one. Throws a `ConfigurationError` that does not quote it. */
export function checkedPublishableKey(key: string | undefined): string {
  if (!key)
    throw new ConfigurationError("No publishable key: pass publishableKey or set AFTERWORD_PUBLISHABLE_KEY.");
  if (!secretPrefix.test(key)) return key;
  throw new ConfigurationError(
    "publishableKey is a secret key, which must not be sent on public routes; pass the publishable key.",
  );
}
