import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { jsonOf } from "../service/api-client.ts";
import { type Endpoint, type Faults, replaced, type SeenRequest } from "./faults.ts";

const endpoints: Record<string, Endpoint> = {
  "/v1/sdk/bootstrap": "bootstrap",
  "/v1/definitions": "bootstrap",
  "/v1/sdk/responses": "submit",
  "/v1/responses": "submit",
  "/v1/dismissals": "dismiss",
  "/v1/shown": "shown",
  "/v1/sdk/tokens": "mint",
  "/v1/sdk/pending-scores": "queue",
  "/v1/sdk/pending-scores/ack": "ack",
  "/sink": "sink",
};

const taken = replaced({ ok: true });

/** The reference server with faults in front of it. It remembers every request of the client. */
export class FaultyServer {
  seen: SeenRequest[] = [];
  faults: Faults = {};
  /** Ids of the responses that the server has had from the beginning. */
  ids: readonly string[] = [];
  readonly #fetch: (request: Request) => Response | Promise<Response>;
  readonly #server = createServer((incoming, outgoing) => void this.#handle(incoming, outgoing));

  constructor(fetch: (request: Request) => Response | Promise<Response>) {
    this.#fetch = fetch;
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "", url = "/" } = incoming;
    const headers = new Headers(incoming.headers as Record<string, string>);
    const origin = headers.get("origin");
    const body = await text(incoming);
    // Pages of every origin may be under test; a preflight is answered for each of them.
    if (method !== "OPTIONS") headers.delete("origin");
    const request = new Request(`http://client.test${url}`, { method, headers, body: body || undefined });
    const reply = method === "OPTIONS" ? await this.#fetch(request) : await this.#reply(request, body);
    if (reply.type === "error") return void incoming.socket.destroy();
    if (origin && method !== "OPTIONS") {
      reply.headers.set("access-control-allow-origin", origin);
      reply.headers.set("access-control-expose-headers", "Retry-After, RateLimit, RateLimit-Policy");
    }
    outgoing.writeHead(reply.status, Object.fromEntries(reply.headers));
    // A client may leave before the end, and a fault may break the body off.
    if (reply.body) await pipeline(reply.body, outgoing).catch(() => undefined);
    else outgoing.end();
  }

  async #reply(request: Request, body: string): Promise<Response> {
    const { method, headers } = request;
    const { pathname: path, searchParams: query } = new URL(request.url);
    const endpoint = endpoints[path];
    const json = jsonOf(body);
    const seen: SeenRequest = {
      endpoint,
      method,
      path,
      query,
      headers,
      json,
      text: body,
      at: performance.now(),
    };
    const before = this.seen.filter((one) => one.endpoint === endpoint).length;
    this.seen.push(seen);
    const pass = async () => (endpoint === "sink" ? taken() : this.#fetch(request));
    const faults = endpoint && this.faults[endpoint];
    const fault = Array.isArray(faults) ? faults[before] : faults;
    const reply = await (fault ? fault(pass, seen, this.ids) : pass());
    seen.status = reply.status;
    return reply;
  }
}
