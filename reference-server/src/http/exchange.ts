import { type IncomingMessage } from "node:http";
import { type Context } from "hono";
import { clientAddress } from "../limits/client-address.ts";

/** What Node's HTTP server hands over beside the request; nothing when a test calls the app without a port. */
export interface NodeBindings {
  incoming?: IncomingMessage;
}

export type ServerContext = Context<{ Bindings: NodeBindings }>;

/** A request as the gate reads it: straight from Node where there is a socket, else by the fetch standard. */
export class Exchange {
  readonly incoming: IncomingMessage | undefined;
  readonly #request: Request | undefined;

  constructor(source: { incoming: IncomingMessage } | { incoming?: undefined; request: Request }) {
    this.incoming = source.incoming;
    this.#request = source.incoming ? undefined : source.request;
  }

  static of({ env, req }: ServerContext): Exchange {
    // `app.request()` passes no bindings at all.
    const incoming = (env as NodeBindings | undefined)?.incoming;
    return new Exchange(incoming ? { incoming } : { request: req.raw });
  }

  get method(): string {
    return this.incoming?.method ?? this.#request?.method ?? "";
  }

  /** Of a request without a socket. */
  get body(): ReadableStream<Uint8Array> | null {
    return this.#request?.body ?? null;
  }

  header(name: string): string | undefined {
    if (!this.incoming) return this.#request?.headers.get(name) ?? undefined;
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** The query without its question mark. */
  get search(): string {
    const url = this.incoming?.url ?? this.#request?.url ?? "";
    const start = url.indexOf("?");
    if (start < 0) return "";
    const end = url.indexOf("#", start);
    return url.slice(start + 1, end < 0 ? undefined : end);
  }

  address(trustedProxies: number): string {
    const socket = this.incoming?.socket.remoteAddress ?? "local";
    return clientAddress(socket, this.header("x-forwarded-for"), trustedProxies);
  }
}

/** A target of a request line or the rest of a URL, without its query: an encoded or doubled slash is another path (decision D47). */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

/** The path of a request as it was sent. */
export function rawPath({ url }: Request, options?: { env?: NodeBindings }): string {
  const target = options?.env?.incoming?.url;
  if (target?.startsWith("/")) return pathOf(target);
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return start < 0 ? "/" : pathOf(url.slice(start));
}
