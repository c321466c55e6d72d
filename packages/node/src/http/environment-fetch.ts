import { type LoadModule, proxiedFetch } from "./proxied-fetch.ts";
import { proxySettings, type Variables } from "./proxy-settings.ts";

function moduleLoader(): LoadModule | undefined {
  const { process } = globalThis;
  // Bun and Deno heed the variables themselves.
  if (!process?.versions?.node || "bun" in process.versions || "deno" in process.versions) return undefined;
  return process.getBuiltinModule;
}

/** The proxies that these variables name and a `fetch` by way of one; `undefined` without any. */
export function environmentProxies(variables: Variables = globalThis.process?.env ?? {}) {
  const load = moduleLoader();
  const proxyOf = load && proxySettings(variables, () => load("node:net"));
  return proxyOf && { proxyOf, fetch: proxiedFetch(load) };
}

const runtimeFetch = globalThis.fetch;

/**
 * The runtime's `fetch`, with the proxies that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of these variables name where it does
 * not heed them itself. Throws a `ConfigurationError` for a proxy that is no address.
 */
export function environmentFetch(variables?: Variables): typeof fetch {
  const proxies = environmentProxies(variables);
  return async (input, init) => {
    // A program that has replaced `fetch`, for example in a test, means its own.
    const isReplaced = globalThis.fetch !== runtimeFetch;
    const proxy = proxies?.proxyOf(new URL(input instanceof Request ? input.url : input));
    if (proxy === undefined || isReplaced) return await globalThis.fetch(input, init);
    return await proxies!.fetch(new Request(input, init), proxy);
  };
}
