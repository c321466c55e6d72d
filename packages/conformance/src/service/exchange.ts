import { Agent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as SecureAgent, request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";

/** A request as it goes out: nothing is normalised, which `fetch` would do. */
export interface HttpRequest {
  method: string;
  baseUrl: string;
  /** Path and query below the base URL, as they are sent. */
  target: string;
  /** Several values of a name become several headers. */
  headers: Record<string, string | string[]>;
  body?: string | Uint8Array;
}

/** A whole reply; `text` is its body. */
export interface HttpReply {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends one request. Rejects if there is no whole reply. */
export type Exchange = (request: HttpRequest) => Promise<HttpReply>;

const timeoutInMs = 30_000;
const agents = { "http:": new Agent({ keepAlive: true }), "https:": new SecureAgent({ keepAlive: true }) };

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}

/** Sends a request over HTTP or HTTPS, on connections that stay open. */
export const exchange: Exchange = (given) =>
  new Promise((resolve, reject) => {
    const { protocol, hostname, port, pathname } = new URL(given.baseUrl);
    const isSecure = protocol === "https:";
    const outgoing = (isSecure ? requestHttps : requestHttp)({
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      method: given.method,
      path: pathname.replace(/\/$/, "") + given.target,
      agent: agents[isSecure ? "https:" : "http:"],
      timeout: timeoutInMs,
      headers: {
        ...given.headers,
        ...(given.body !== undefined && { "content-length": Buffer.byteLength(given.body) }),
      },
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no reply within ${timeoutInMs} ms`)));
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // A server may close an idle connection while the request is on its way; it has not read it then.
      if (outgoing.reusedSocket && error.code === "ECONNRESET") resolve(exchange(given));
      else reject(error);
    });
    outgoing.on("response", (incoming) => {
      const status = incoming.statusCode ?? 0;
      text(incoming).then((body) => resolve({ status, headers: headersOf(incoming), text: body }), reject);
    });
    outgoing.end(given.body);
  });
