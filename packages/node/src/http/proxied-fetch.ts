import type { Agent, IncomingMessage, RequestOptions } from "node:http";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import { hostOf } from "./proxy-settings.ts";

/** Loads a module of Node. Imports would keep the client out of edge workers. */
export type LoadModule = typeof process.getBuiltinModule;

/** A proxy has refused or cannot be reached. `code` says so in words that reports may quote, without the password. */
class ProxyError extends Error {
  readonly code: string;

  constructor({ origin }: URL, problem: string | Error) {
    const failure =
      problem instanceof Error && `failed (${"code" in problem ? problem.code : problem.message})`;
    super(`the proxy ${origin} ${failure || problem}`);
    this.code = this.message;
  }
}

const clientFor = (load: LoadModule, { protocol }: URL) =>
  load(protocol === "https:" ? "node:https" : "node:http");

const addressOf = (url: URL) => ({
  host: hostOf(url),
  port: url.port || (url.protocol === "https:" ? 443 : 80),
  path: url.pathname + url.search,
});

/** Sends a request by Node's HTTP client. Follows no redirect and decodes no content: no service here needs it. */
export async function sendByNode(
  load: LoadModule,
  address: URL,
  options: RequestOptions,
  request: Request,
): Promise<Response> {
  const { method, signal } = request;
  const headers = { ...Object.fromEntries(request.headers), ...(options.headers as object) };
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const all = { ...addressOf(address), ...options, method, signal, headers };
    clientFor(load, address).request(all, resolve).on("error", reject).end(body);
  });
  const { statusCode: status = 0 } = reply;
  const hasBody = ![204, 205, 304].includes(status);
  // An unread body would keep its connection open.
  if (!hasBody) reply.resume();
  const received = Object.entries(reply.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const stream = hasBody ? load("node:stream").Readable.toWeb(reply) : null;
  return new Response(stream as ReadableStream<Uint8Array> | null, { status, headers: received });
}

/** Sends requests by HTTP to the proxy itself, and those by HTTPS through a tunnel that it opens. */
export function proxiedFetch(load: LoadModule): (request: Request, proxy: URL) => Promise<Response> {
  const agents = new Map<string, Agent>();
  const agentOf = (proxy: URL, isSecure: boolean) => {
    const key = `${isSecure} ${proxy.href}`;
    const make = () =>
      isSecure ? tunnelAgent(proxy, load) : new (clientFor(load, proxy).Agent)({ keepAlive: true });
    const agent = agents.get(key) ?? make();
    agents.set(key, agent);
    return agent;
  };
  return async (request, proxy) => {
    const target = new URL(request.url);
    const isSecure = target.protocol === "https:";
    const agent = agentOf(proxy, isSecure);
    if (isSecure) return await sendByNode(load, target, { agent }, request);
    const headers = { host: target.host, ...credentialsOf(proxy) };
    const sending = sendByNode(load, proxy, { path: target.href, headers, agent }, request);
    const reply = await sending.catch((error: Error) => {
      throw request.signal.aborted ? error : new ProxyError(proxy, error);
    });
    if (reply.status !== 407) return reply;
    await reply.body?.cancel();
    throw new ProxyError(proxy, "answered 407");
  };
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = Buffer.from([username, password].map(decoded).join(":"));
  return { "proxy-authorization": `Basic ${pair.toString("base64")}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** As long as Node's `fetch` waits for a connection. */
const connectTimeoutInMs = 10_000;

/** Makes each connection through a tunnel of the proxy. */
function tunnelAgent(proxy: URL, load: LoadModule): Agent {
  const createConnection = (
    options: ConnectionOptions,
    done: (error: Error | null, socket?: Duplex) => void,
  ) => {
    const { host = "", port } = options;
    const path = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const headers = { host: path, ...credentialsOf(proxy) };
    const own = { method: "CONNECT", path, headers, agent: false, timeout: connectTimeoutInMs };
    const opening = clientFor(load, proxy).request({ ...addressOf(proxy), ...own });
    opening.on("connect", ({ statusCode }, socket) => {
      if (statusCode === 200) return done(null, load("node:tls").connect({ ...options, socket }));
      socket.destroy();
      done(new ProxyError(proxy, `answered ${statusCode}`));
    });
    opening.on("timeout", () => opening.destroy(new Error("no answer in time")));
    opening.on("error", (error) => done(new ProxyError(proxy, error)));
    opening.end();
  };
  return Object.assign(new (load("node:https").Agent)({ keepAlive: true }), { createConnection });
}
