import { type IncomingMessage, type ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Context } from "hono";
import ipaddr from "ipaddr.js";
import { type FoundKey } from "../domain/project-directory.ts";
import { newRecordId } from "../domain/ids-and-times.ts";
import { type Service } from "../domain/service.ts";
import { type Load } from "../limits/load.ts";
import { Quotas, type QuotaSettings } from "../limits/rate-limit.ts";
import { type AuditEntry, type RequestEvent, type ServerEvents } from "../operations/events.ts";

/** What Node's HTTP server hands over beside the request; nothing when a test calls the app without a port. */
export interface NodeBindings {
  incoming?: IncomingMessage;
  outgoing?: ServerResponse;
}

export type HonoContext = Context<{ Bindings: NodeBindings }>;

/** What every request is answered with. */
export interface RequestServices extends QuotaSettings {
  service: Service;
  trustedProxies: number;
  /** Called when a proxy names its client and is not trusted: all of its clients then share one limit. */
  onUntrustedProxy: () => void;
  events: ServerEvents;
  /** Milliseconds of a monotonic clock. */
  stopwatch: () => number;
  load: Load;
}

/** Proxies add a port to some addresses, and brackets to those of IPv6 (RFC 7239, section 6). */
const withPort = /^(?:\[(?<inBrackets>[^\]]*)\]|(?<ofVersion4>[\d.]+))(?::\d{1,5})?$/;

/** `undefined` for anything but an address of four decimal parts or of IPv6. */
function parsed(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const { inBrackets, ofVersion4 } = withPort.exec(text)?.groups ?? {};
  const address = inBrackets ?? ofVersion4 ?? text;
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  // An IPv4 address inside IPv6 becomes itself.
  return isAddress ? ipaddr.process(address) : undefined;
}

/** In one spelling. An IPv6 client owns a whole /64. */
function networkOf(text: string): string | undefined {
  const address = parsed(text);
  if (!address || address.kind() === "ipv4") return address?.toString();
  const hostParts = [0, 0, 0, 0];
  const network = new ipaddr.IPv6([...(address as ipaddr.IPv6).parts.slice(0, 4), ...hostParts]);
  return `${network.toString()}/64`;
}

/**
 * The client that limits count, in one spelling. X-Forwarded-For is believed only as far as trusted proxies wrote it, since
 * a client can make up everything left of that (decision D43). What is not an address counts as the socket's.
 */
export function clientAddress(
  socket: string,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  const hops = trustedProxies === 0 ? [] : (forwardedFor ?? "").split(",").map((hop) => hop.trim());
  const hop = hops.at(-Math.min(trustedProxies, hops.length)) ?? "";
  return networkOf(hop) ?? networkOf(socket) ?? socket;
}

async function* noChunks(): AsyncGenerator<Uint8Array> {}

/** One request: what it sent, the quotas that it draws on, and the event that it leaves. */
export class RequestContext {
  readonly services: RequestServices;
  readonly request: Request;
  readonly quotas: Quotas;
  readonly event: RequestEvent;
  readonly #node: NodeBindings;
  readonly #startedAt: number;
  #knownAddress: string | undefined;

  /** @param route the path as the table of endpoints has it; absent for unknown paths */
  constructor(services: RequestServices, { req, env }: HonoContext, route?: string) {
    this.services = services;
    this.request = req.raw;
    // `app.request()` passes no bindings at all.
    this.#node = env ?? {};
    this.#startedAt = services.stopwatch();
    this.quotas = new Quotas(services, () => this.address);
    const requestId = newRecordId(services.service.clock.now());
    this.event = { kind: "request", requestId, method: req.method, status: 0, durationInMs: 0 };
    if (route !== undefined) this.event.route = route;
  }

  header(name: string): string | undefined {
    return this.request.headers.get(name) ?? undefined;
  }

  /** The query without its question mark. */
  get search(): string {
    const { url } = this.request;
    const start = url.indexOf("?");
    if (start < 0) return "";
    const end = url.indexOf("#", start);
    return url.slice(start + 1, end < 0 ? undefined : end);
  }

  /** Its chunks as they arrive. Stopping early leaves the rest to the adapter, which passes over it. */
  get body(): AsyncIterable<Uint8Array> {
    // From the socket where there is one: a stream of the fetch standard costs as much as all other steps together.
    const { incoming, outgoing } = this.#node;
    // A client that waits for leave to send its body gets it now that key and length are checked.
    if (this.header("expect")) outgoing?.writeContinue();
    return incoming ? incoming.iterator({ destroyOnReturn: false }) : (this.request.body ?? noChunks());
  }

  /** Writes down an export or an erasure, and the key that asked for it. */
  audit({ project, key }: FoundKey, entry: AuditEntry): void {
    const actor = { requestId: this.event.requestId, projectId: project.id, keyId: key.id };
    this.services.events.emit({ kind: "audit", ...actor, ...entry });
  }

  /** Emits the event of this request, which is answered now. */
  finish(status: number): void {
    this.event.status = status;
    this.event.durationInMs = this.services.stopwatch() - this.#startedAt;
    this.services.events.emit(this.event);
  }

  /** The client that limits count. */
  get address(): string {
    return (this.#knownAddress ??= this.#findAddress());
  }

  /** Whether the body is here, or came with the head. */
  async isBodyComplete(): Promise<boolean> {
    const { incoming } = this.#node;
    // What came with the head is parsed within this turn of the event loop.
    if (incoming && !incoming.complete) await nextTurn();
    return incoming?.complete ?? true;
  }

  #findAddress(): string {
    const { trustedProxies, onUntrustedProxy } = this.services;
    const forwardedFor = this.header("x-forwarded-for");
    if (trustedProxies === 0 && forwardedFor !== undefined) onUntrustedProxy();
    return clientAddress(this.#node.incoming?.socket.remoteAddress ?? "local", forwardedFor, trustedProxies);
  }
}

/** The path as it was sent: an encoded or doubled slash is another path (decision D47), and a URL would resolve dots. */
export function rawPath({ url }: Request, options?: { env?: NodeBindings }): string {
  const sent = options?.env?.incoming?.url;
  const target = sent?.startsWith("/") ? sent : url.slice(url.indexOf("/", url.indexOf("://") + 3));
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}
