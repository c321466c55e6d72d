import { type IncomingMessage } from "node:http";
import { type Context } from "hono";
import { clientAddress } from "./client-address.ts";

/** What Node's HTTP server hands over beside the request; nothing when a test calls the app without a port. */
export interface NodeBindings {
  incoming?: IncomingMessage;
}

export type ServerContext = Context<{ Bindings: NodeBindings }>;

/** A request as the gate reads it: straight from Node where there is a socket. */
export class Exchange {
  readonly request: Request;
  readonly incoming: IncomingMessage | undefined;

  constructor(context: ServerContext) {
    this.request = context.req.raw;
    // `app.request()` passes no bindings at all.
    this.incoming = (context.env as NodeBindings | undefined)?.incoming;
  }

  header(name: string): string | undefined {
    if (!this.incoming) return this.request.headers.get(name) ?? undefined;
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** The query without its question mark. */
  get search(): string {
    const url = this.incoming?.url ?? this.request.url;
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

/** The path as it was sent: an encoded or doubled slash is another path (decision D47). */
export function rawPath(request: Request, options?: { env?: NodeBindings }): string {
  const target = options?.env?.incoming?.url;
  const isPath = target?.startsWith("/");
  const text = isPath ? target! : request.url;
  const start = isPath ? 0 : text.indexOf("/", text.indexOf("://") + 3);
  if (start < 0) return "/";
  const end = text.slice(start).search(/[?#]/);
  return end < 0 ? text.slice(start) : text.slice(start, start + end);
}
