import { type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serveLocally } from "../../packages/command-line/src/local-server.fixture.ts";

export interface StageRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  /** As it came, for signatures. */
  payload: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- each contract checks it against its schema
  body: any;
}

export interface StageReply {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | object;
}

/** What can go wrong on the way: an answer, silence, a cut connection, or one that is cut after the status line. */
export type Fault = StageReply | "hang" | "reset" | "drop";

/**
 * A server on loopback that plays a service. `play` answers as the service does; a fault takes its place for every
 * request that it is meant for.
 */
export async function openStage(play: (request: StageRequest) => StageReply) {
  const requests: StageRequest[] = [];
  let fault: { of: Fault; isMeant: (request: StageRequest) => boolean } | undefined;
  let watch: ((request: StageRequest) => unknown) | undefined;

  const { url, close } = await serveLocally(async (incoming, reply) => {
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? "/", "http://stage");
    const payload = await text(incoming);
    const { method = "GET", headers } = incoming;
    const body = headers["content-type"]?.includes("json") ? JSON.parse(payload) : undefined;
    const request = { method, path, query, headers, payload, body };
    requests.push(request);
    watch?.(request);
    answer(reply, fault?.isMeant(request) ? fault.of : play(request));
  });

  return {
    url,
    close,
    requests,
    fail: (of: Fault, isMeant: (request: StageRequest) => boolean) => (fault = { of, isMeant }),
    mend: () => (fault = undefined),
    /** Calls when a delivery has arrived. */
    onDelivery: (isDelivery: (request: StageRequest) => boolean, call: () => void) =>
      (watch = (request) => isDelivery(request) && call()),
  };
}

export type SinkStage = Awaited<ReturnType<typeof openStage>>;

function answer(reply: ServerResponse, what: Fault): void {
  if (what === "hang") return;
  if (what === "reset") return void reply.socket?.resetAndDestroy();
  if (what === "drop") {
    reply.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    reply.write('{"id":', () => reply.socket?.destroy());
    return;
  }
  const { status, headers, body = "" } = what;
  const type = typeof body === "string" ? "text/plain" : "application/json";
  reply.writeHead(status, { "content-type": type, ...headers });
  reply.end(typeof body === "string" ? body : JSON.stringify(body));
}
