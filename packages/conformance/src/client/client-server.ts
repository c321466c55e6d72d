import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { allowedHeaders } from "@afterword/protocol/allowed-headers";
import { type AnyJson } from "../service/any-json.ts";

/** What the kit's server has received. */
export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  json: AnyJson;
  text: string;
  /** Milliseconds of a clock that only counts on. */
  at: number;
}

/** What the kit's server replies, and what goes wrong on the way. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON; a text is sent as it is. */
  body?: unknown;
  /**
   * `lost`: the connection ends without a reply. `cut`: it ends in the middle of the body. `slow`: the body comes in ten
   * parts over a second. `stalled`: the second half of the body never comes.
   */
  fate?: "lost" | "cut" | "slow" | "stalled";
}

export type Answering = (request: SeenRequest) => Answer;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function headersFor(request: IncomingMessage, given: Record<string, string> = {}): Record<string, string> {
  const { origin } = request.headers;
  const cors = {
    "access-control-allow-origin": origin ?? "",
    "access-control-expose-headers": "Retry-After, RateLimit, RateLimit-Policy",
    "vary": "Origin",
  };
  return { "content-type": "application/json; charset=utf-8", ...(origin && cors), ...given };
}

async function give(response: ServerResponse, body: Buffer, fate: Answer["fate"]): Promise<void> {
  const half = Math.floor(body.length / 2);
  if (fate === "cut" || fate === "stalled") {
    response.write(body.subarray(0, half));
    if (fate === "cut") setTimeout(() => response.destroy(), 50);
    return;
  }
  const parts = fate === "slow" ? 10 : 1;
  const size = Math.ceil(body.length / parts);
  for (let at = 0; at < body.length; at += size) {
    if (at > 0) await pause(100);
    response.write(body.subarray(at, at + size));
  }
  response.end();
}

/** The server that a client under test talks to. It remembers every request. */
export class ClientServer {
  readonly seen: SeenRequest[] = [];
  answer: Answering = () => ({ status: 404, body: {} });
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    if (request.method === "OPTIONS") return preflight(request, response);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://client.test");
    const body = await text(request);
    const { method = "", headers } = request;
    const seen = {
      method,
      path: pathname,
      query: searchParams,
      headers,
      json: jsonOf(body),
      text: body,
      at: performance.now(),
    };
    this.seen.push(seen);
    const { status = 200, headers: given, body: reply = {}, fate } = this.answer(seen);
    if (fate === "lost") return void request.socket.destroy();
    const bytes = Buffer.from(typeof reply === "string" ? reply : JSON.stringify(reply));
    response.writeHead(status, { ...headersFor(request, given), "content-length": bytes.length });
    await give(response, bytes, fate);
  }
}

function preflight(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(204, {
    "access-control-allow-origin": request.headers.origin ?? "*",
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": allowedHeaders(request.headers["access-control-request-headers"]),
    "access-control-max-age": "600",
  });
  response.end();
}
