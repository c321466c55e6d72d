import { type IncomingMessage, type ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Context } from "hono";
import { type FoundKey } from "../domain/project-directory.ts";
import { newRecordId } from "../domain/record-id.ts";
import { type Service } from "../domain/service.ts";
import { clientAddress } from "../limits/client-address.ts";
import { type Load } from "../limits/load.ts";
import { Quotas, type QuotaSettings } from "../limits/quotas.ts";
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
