import { Readable } from "node:stream";
import { type AnyJson } from "../service/any-json.ts";

/** What a client under test talks to: endpoints of the contract, and the destination of a forwarder. */
export type Endpoint = "bootstrap" | "submit" | "dismiss" | "shown" | "mint" | "queue" | "ack" | "sink";

/** A request of the client under test. */
export interface SeenRequest {
  endpoint?: Endpoint;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  json: AnyJson;
  text: string;
  /** Milliseconds of a clock that only counts on. */
  at: number;
  /** The status of the reply; 0 where the connection was broken off in place of one. */
  status?: number;
}

/** Goes wrong between client and server: changes the server's reply, or replies without asking it. */
export type Fault = (
  pass: () => Promise<Response>,
  request: SeenRequest,
  /** Ids of the responses that the server had from the beginning. */
  ids: readonly string[],
) => Response | Promise<Response>;

/** The faults of an endpoint: one for every request, or a list for the first requests, after which nothing goes wrong. */
export type Faults = Partial<Record<Endpoint, Fault | Fault[]>>;

/** Replies with this JSON in place of the server. */
export const replaced =
  (body: object, status = 200) =>
  (): Response =>
    Response.json(body, { status, headers: { "content-type": "application/json; charset=utf-8" } });

/** Refuses as the contract says. */
export const refused = (status: number, code: string, fields: object = {}) => {
  const headers = {
    "content-type": "application/problem+json",
    ...(status === 429 && { "retry-after": "1" }),
  };
  const problem = { type: "about:blank", title: code, status, code, ...fields };
  return (): Response => Response.json(problem, { status, headers });
};

/** Replies as an intermediary does in place of the service. */
export const intercepted = (status: number): Fault => {
  const page = "<!doctype html><title>Sign in to this network</title>";
  return () => new Response(page, { status, headers: { "content-type": "text/html" } });
};

/** Refuses for a second. */
export const limited = refused(429, "rate_limited");

/** Breaks the connection off once the server has done what was asked. */
export const lost: Fault = async (pass) => {
  await pass();
  return Response.error();
};

/** Sends the body in ten parts over a second: to its end, or only half of it, after which the connection breaks or stays. */
const inParts =
  (end: "whole" | "cut" | "stalled"): Fault =>
  async (pass) => {
    const reply = await pass();
    const bytes = new Uint8Array(await reply.arrayBuffer());
    const size = Math.ceil(bytes.length / 10);
    async function* parts() {
      for (let at = 0; at < bytes.length; at += size) {
        if (at >= bytes.length / 2 && end === "cut") throw new Error("cut");
        if (at >= bytes.length / 2 && end === "stalled") await new Promise(() => undefined);
        yield bytes.subarray(at, at + size);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    return new Response(Readable.toWeb(Readable.from(parts())) as ReadableStream, reply);
  };

export const slow = inParts("whole");
export const cut = inParts("cut");
export const stalled = inParts("stalled");

/** Replaces or adds fields of the server's reply. */
export const changed =
  (change: (body: AnyJson) => object): Fault =>
  async (pass) => {
    const reply = await pass();
    const body = (await reply.json()) as object;
    return new Response(JSON.stringify({ ...body, ...change(body) }), reply);
  };
