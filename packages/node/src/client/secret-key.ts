import { ConfigurationError } from "../errors/afterword-error.ts";
import { isHeaderValue } from "../options/secret.ts";

/** Publishable keys carry `pk` in their prefix (contract section 5); they open no secret route. */
const publishablePrefix = /^(?:[a-z0-9]+_)?pk_/i;

/** Returns a key that can be secret. Throws a `ConfigurationError` that does not quote it otherwise. */
export function checkedSecretKey(key: unknown): string {
  if (typeof key !== "string" || key === "") {
    throw new ConfigurationError("No secret key: pass secretKey or set AFTERWORD_SECRET_KEY.");
  }
  if (publishablePrefix.test(key)) {
    throw new ConfigurationError(
      "secretKey is a publishable key, which opens no secret route; pass the secret key of the project.",
    );
  }
  if (!isHeaderValue(key)) {
    throw new ConfigurationError("secretKey contains spaces, line breaks or other invalid characters.");
  }
  return key;
}

/** Refuses a browser, where a secret key is public the moment it is loaded. */
export function refuseBrowser(): void {
  const { window, navigator } = globalThis as Partial<typeof globalThis>;
  // Pages have a document, and their workers a browser's user agent, unlike server-side runtimes.
  if (window?.document === undefined && !navigator?.userAgent?.startsWith("Mozilla/")) return;
  throw new ConfigurationError(
    "The Afterword client holds a secret key and must not run in a browser. Mint on your server and hand the " +
      "token to the page; the page itself uses @afterword/browser with the publishable key.",
  );
}
