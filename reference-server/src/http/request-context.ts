import { type IncomingMessage, type ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Context } from "hono";
import ipaddr from "ipaddr.js";
import { newRecordId } from "../domain/ids-and-times.ts";
import { type Service } from "../domain/service.ts";
import {
  limitFields,
  type Policies,
  type PolicyName,
  type QuotaUse,
  type RateLimiter,
  usedUp,
} from "../limits/rate-limit.ts";
import { type Hooks } from "../domain/hooks.ts";
import { type RequestEvent, type ServerEvents } from "../events.ts";

/** Node's objects of a request; empty when the app is called without a port. */
export interface NodeBindings {
  incoming?: IncomingMessage;
  outgoing?: ServerResponse;
}

export type HonoContext = Context<{ Bindings: NodeBindings }>;

/** Options for answering requests that are not part of the config. */
export interface RequestOptions {
  /** Receives events for logging and metrics. Default: none. */
  events?: ServerEvents | undefined;
  /** Awaited before and after exports and erasures. Default: none. */
  hooks?: Hooks | undefined;
  /** Returns the share of the load that a new request takes. @throws Refusal. Default: nothing is bounded. */
  permit?: (() => Permit) | undefined;
  /** For development: every project also allows pages of any port of localhost. Default false. */
  allowLoopbackOrigins?: boolean | undefined;
}

/** The parts and settings that every request uses. */
export interface RequestServices extends RequestOptions {
  service: Service;
  events: ServerEvents;
  limiter: RateLimiter;
  /** Absent when limits are off. */
  policies: Policies | undefined;
  trustedProxies: number;
  /** Whether the warning of an untrusted proxy was sent. */
  isProxyWarned?: boolean;
}

const untrustedProxy =
  "A proxy sends X-Forwarded-For, but trustedProxies is 0: all its clients share one rate limit. Set trustedProxies to the number of your proxies.";

/** The share of a request in the load that a server bears. Each step but the last may throw a `Refusal`. */
export interface Permit {
  /** Counts an incomplete body against its client until `enter`. */
  awaitBody(address: string): void;
  /** Counts bytes of the body as they arrive. */
  hold(bytes: number): void;
  /** The request is complete. */
  enter(): void;
  /** Called once at the end of the request, in any case. */
  leave(): void;
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

/** The client that an address belongs to, in one spelling: an IPv6 client owns a whole /64. */
export function networkOf(text: string): string | undefined {
  const address = parsed(text);
  if (!address || address.kind() === "ipv4") return address?.toString();
  const hostParts = [0, 0, 0, 0];
  const network = new ipaddr.IPv6([...(address as ipaddr.IPv6).parts.slice(0, 4), ...hostParts]);
  return `${network.toString()}/64`;
}

/**
 * The normalised client address for rate limits. Only the entries of trusted proxies in X-Forwarded-For count, since a
 * client can forge everything to their left. An invalid entry is replaced by the socket's address.
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

/** The limits that each client address has of its own. */
const perAddress: ReadonlySet<PolicyName> = new Set(["address", "public", "badAuth"]);

/** A request with the quotas that it has used and its event. */
export class RequestContext {
  readonly services: RequestServices;
  readonly request: Request;
  readonly event: RequestEvent;
  readonly #node: NodeBindings;
  readonly #uses: QuotaUse[] = [];
  readonly #startedAt = performance.now();
  #knownAddress: string | undefined;

  /** @param route the path in the table of endpoints; absent for unknown paths */
  constructor(services: RequestServices, { req, env }: HonoContext, route?: string) {
    this.services = services;
    this.request = req.raw;
    // `app.request()` passes no bindings at all.
    this.#node = env ?? {};
    const requestId = newRecordId(services.service.clock.now());
    this.event = { kind: "request", requestId, method: req.method, status: 0, durationInMs: 0 };
    if (route !== undefined) this.event.route = route;
  }

  header(name: string): string | undefined {
    return this.request.headers.get(name) ?? undefined;
  }

  /** The body's chunks as they arrive. If the reader stops early, the adapter discards the rest. */
  get body(): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
    // From Node's request where there is one: a web stream costs as much as all other steps together.
    const { incoming, outgoing } = this.#node;
    // A client with `Expect: 100-continue` may send its body now that key and length are checked.
    if (this.header("expect")) outgoing?.writeContinue();
    if (!incoming) return this.request.body ?? [];
    if (!incoming.complete) return incoming.iterator({ destroyOnReturn: false });
    // Most bodies have arrived as a whole. An iterator over the stream makes 7 % of the garbage of a submit.
    const whole = incoming.read() as Uint8Array | null;
    return whole ? [whole] : [];
  }

  /** Takes this request from a quota, that of a project if one is given. @throws Refusal when it is used up */
  take(name: PolicyName, projectId?: string): void {
    const { policies, limiter, service } = this.services;
    if (!policies) return;
    const subject = `${projectId} ${perAddress.has(name) ? this.address : ""}`;
    const use = limiter.take(policies[name], subject, service.clock.now());
    // A client hears of the limits before its key only when they are used up.
    if (projectId !== undefined || !use.isAllowed) this.#uses.push(use);
    if (!use.isAllowed) throw usedUp(use);
  }

  get limitFields(): Record<string, string> {
    return limitFields(this.#uses);
  }

  /** Emits the event of this request once it is answered. */
  finish(status: number): void {
    this.event.status = status;
    this.event.durationInMs = performance.now() - this.#startedAt;
    this.services.events.emit(this.event);
  }

  get address(): string {
    return (this.#knownAddress ??= this.#findAddress());
  }

  async isBodyComplete(): Promise<boolean> {
    const { incoming } = this.#node;
    // A body that came with the headers is parsed within this turn of the event loop.
    if (incoming && !incoming.complete) await nextTurn();
    return incoming?.complete ?? true;
  }

  #findAddress(): string {
    const { trustedProxies, isProxyWarned, events } = this.services;
    const forwardedFor = this.header("x-forwarded-for");
    if (trustedProxies === 0 && forwardedFor !== undefined && !isProxyWarned) {
      this.services.isProxyWarned = true;
      events.emit({ kind: "warning", message: untrustedProxy });
    }
    return clientAddress(this.#node.incoming?.socket.remoteAddress ?? "local", forwardedFor, trustedProxies);
  }
}

/** The path as sent: encoded or double slashes are another path, and `URL` would resolve dots. */
export function rawPath({ url }: Request, options?: { env?: NodeBindings }): string {
  const sent = options?.env?.incoming?.url;
  const target = sent?.startsWith("/") ? sent : url.slice(url.indexOf("/", url.indexOf("://") + 3));
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}
