import { afterEach, beforeEach, vi } from "vitest";
import { Afterword, type AfterwordOptions } from "../index.ts";

export const secretKey = "aw_sk_0123456789abcdef01234567";
export const baseUrl = "https://feedback.example.com";

interface SeenRequest {
  method: string;
  url: string;
  headers: Headers;
  body: unknown;
}

type Reply = Response | Error | (() => Response | Promise<Response>);

/** A service that gives these replies in turn, the last one for ever. */
export function aService(...replies: Reply[]) {
  const seen: SeenRequest[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { method, url, headers } = request;
    const text = await request.text();
    seen.push({ method, url, headers, body: text === "" ? undefined : JSON.parse(text) });
    const reply = replies.length > 1 ? replies.shift()! : replies[0]!;
    if (reply instanceof Error) throw reply;
    return typeof reply === "function" ? reply() : reply.clone();
  };
  return { fetch, seen };
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

export const problem = (
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
) =>
  new Response(JSON.stringify({ type: "about:blank", title: "x", status, code, ...more }), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });

/** A client of that service. */
export const client = (service: { fetch: typeof fetch }, options: AfterwordOptions = {}) =>
  new Afterword({ secretKey, baseUrl, fetch: service.fetch, ...options });

export const minted = {
  tokens: { "survey-1": "st2.a" },
  suppression: [],
  issuedAt: "2026-11-21T09:00:00.000Z",
};
export const mintBody = { respondentId: "respondent-1", sessionId: "session-1" };

/** With the runtime's timers faked: lets every wait pass and gives what came of the call. */
export async function throughAllWaits<T>(call: Promise<T>): Promise<T> {
  call.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(600_000);
  return call;
}

/** Retries wait by the runtime's timers; in the tests of the file that calls this, they are moved by hand. */
export function moveTimersByHand(): void {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
}
