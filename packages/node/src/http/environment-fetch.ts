import type { EnvHttpProxyAgent } from "undici";
import { ConfigurationError } from "../errors/afterword-error.ts";
import { member } from "../options/json.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables of this process; none in edge runtimes, which have no `process`. */
export const ownVariables = (): Variables => globalThis.process?.env ?? {};

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, of which the spelling in lower case goes first. `HTTP_PROXY` also stands for a
 * missing `HTTPS_PROXY`. Returns `undefined` without a proxy. Throws a `ConfigurationError` for a value that is no address.
 */
function environmentProxies(variables: Variables) {
  const versions = globalThis.process?.versions;
  // Bun and Deno heed the variables themselves.
  if (!versions?.node || "bun" in versions || "deno" in versions) return undefined;
  const read = (name: string) => {
    const lower = name.toLowerCase();
    const given = variables[lower] === undefined ? name : lower;
    const value = variables[given]?.trim();
    return value ? checkedProxy(given, value) : undefined;
  };
  const plain = read("HTTP_PROXY");
  const secure = read("HTTPS_PROXY") ?? plain;
  return secure && { plain, secure, noProxy: variables["no_proxy"] ?? variables["NO_PROXY"] ?? "" };
}

function checkedProxy(name: string, value: string): URL {
  const hasScheme = value.includes("://");
  const isAddress = hasScheme || /^[^/\s]+:\d+\/?$/.test(value);
  const url = isAddress ? URL.parse(hasScheme ? value : `http://${value}`) : null;
  // undici throws for half an escape.
  if (url && /^https?:$/.test(url.protocol) && !/%(?![\da-f]{2})/i.test(url.href)) return url;
  // Without its value, which may hold a password.
  throw new ConfigurationError(
    `${name} must be the address of an HTTP proxy, such as http://proxy.example.com:3128; or unset it.`,
  );
}

/** How long a proxy may take to open a tunnel: as long as Node's `fetch` waits for a connection. */
const tunnelTimeoutInMs = 10_000;

const runtimeFetch = globalThis.fetch;

/**
 * The runtime's `fetch`, with the proxies that these variables name where it does not heed them itself. Throws a
 * `ConfigurationError` for a proxy that is no address.
 */
export function environmentFetch(variables = ownVariables()): typeof fetch {
  const proxied = proxiedFetch(variables);
  // A program that has replaced `fetch`, for example in a test, means its own.
  return (input, init) =>
    proxied && globalThis.fetch === runtimeFetch
      ? proxied(new Request(input, init))
      : globalThis.fetch(input, init);
}

/**
 * Sends requests by undici with the proxies that these variables name; `connect` says how to reach hosts that need none.
 * Returns `undefined` without a proxy. Throws a `ConfigurationError` for one that is no address.
 */
export function proxiedFetch(
  variables = ownVariables(),
  connect?: EnvHttpProxyAgent.Options["connect"],
): ((request: Request) => Promise<Response>) | undefined {
  const proxies = environmentProxies(variables);
  if (!proxies) return undefined;
  const { plain, secure, noProxy } = proxies;
  const load = async () => {
    const undici = await import("undici");
    const [httpProxy, httpsProxy] = [plain?.href ?? "", secure.href];
    // Only tunnels are opened by it, which no signal of a request ends.
    const clientFactory = (origin: URL, own: object) =>
      new undici.Pool(origin, { ...own, headersTimeout: tunnelTimeoutInMs });
    const options = { httpProxy, httpsProxy, noProxy, proxyTunnel: false, connect, clientFactory };
    return { fetch: undici.fetch, dispatcher: new undici.EnvHttpProxyAgent(options) };
  };
  let loaded: ReturnType<typeof load> | undefined;
  return async (request) => {
    const { fetch, dispatcher } = await (loaded ??= load());
    const { url, method, redirect, signal } = request;
    const headers = [...request.headers];
    const body = request.body && (await request.arrayBuffer());
    const sending = fetch(url, { method, headers, body, redirect, signal, dispatcher });
    const reply = await sending.catch((error: unknown) => {
      const target = new URL(url);
      throw proxyError(error, target, target.protocol === "https:" ? secure : plain);
    });
    // Of the runtime's own class, which callers may ask for.
    return new Response(reply.body as ReadableStream | null, reply as unknown as ResponseInit);
  };
}

const portOf = ({ port, protocol }: URL) => port || (protocol === "https:" ? "443" : "80");

/**
 * Where the proxy has refused or cannot be reached, `code` says so in words that reports may quote, without the password.
 * Only the words of the system say what could not be reached: one message, or one for each address of a name.
 */
function proxyError(error: unknown, target: URL, proxy: URL | undefined): unknown {
  const cause = member(error, "cause", "cause") ?? member(error, "cause");
  if (proxy === undefined) return error;
  const causes = [cause, ...((member(cause, "errors") as unknown[] | undefined) ?? [])];
  const messages = causes.map((one) => String(member(one, "message")));
  const status = /^Proxy .*\((\d{3})\)/.exec(messages[0]!)?.[1];
  // A host that needs no proxy may have the same port.
  const isOfProxy = (message: string) =>
    (portOf(proxy) !== portOf(target) &&
      message.split(" ").some((word) => word.endsWith(`:${portOf(proxy)}`))) ||
    message.endsWith(` ${proxy.hostname}`);
  const systemCode = String(member(cause, "code"));
  // Of a tunnel: a request of our own has ended by then.
  const isSilent = target.protocol === "https:" && systemCode === "UND_ERR_HEADERS_TIMEOUT";
  if (!status && !isSilent && !messages.some(isOfProxy)) return cause ?? error;
  const problem = status ? `answered ${status}` : `failed (${systemCode})`;
  const code = `the proxy ${proxy.origin} ${problem}`;
  return Object.assign(new Error(code), { code });
}
