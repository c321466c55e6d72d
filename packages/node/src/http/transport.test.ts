import { describe, expect, it, vi } from "vitest";
import { ApiError } from "../index.ts";
import {
  aService,
  client,
  json,
  mintBody,
  minted,
  moveTimersByHand,
  secretKey,
  throughAllWaits,
} from "./scripted-service.fixture.ts";

moveTimersByHand();

/** An answer whose connection is lost in the middle of its body. */
const cutShort = () =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"tokens":')),
      pull: (controller) => controller.error(new TypeError("terminated")),
    }),
  );

describe("retries", () => {
  it("begin again when the connection is lost in the middle of an answer", async () => {
    const service = aService(cutShort(), json(minted));
    await expect(throughAllWaits(client(service).mint(mintBody))).resolves.toMatchObject(minted);
    expect(service.seen).toHaveLength(2);
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 520])("follow a %i", async (status) => {
    const service = aService(new Response("busy", { status }), json(minted));
    await expect(throughAllWaits(client(service).mint(mintBody))).resolves.toMatchObject({ gated: false });
    expect(service.seen).toHaveLength(2);
  });

  it.each([400, 401, 403, 404, 409, 413, 422])("do not follow a %i", async (status) => {
    const service = aService(new Response("no", { status }));
    await expect(throughAllWaits(client(service).mint(mintBody))).rejects.toMatchObject({
      status,
      retryable: false,
    });
    expect(service.seen).toHaveLength(1);
  });

  it.each<[string, () => Response]>([
    [
      "an HTML page",
      () =>
        new Response("<!doctype html><title>Sign in</title>", { headers: { "content-type": "text/html" } }),
    ],
    ["nothing", () => new Response(null, { status: 204 })],
    ["half of the JSON", () => new Response('{"tokens":')],
    ["JSON that is no object", () => Response.json("maintenance")],
  ])("follow %s with a status of success: it is not the service's", async (_, page) => {
    const service = aService(page(), json(minted));
    await expect(throughAllWaits(client(service).mint(mintBody))).resolves.toMatchObject({ gated: false });
    expect(service.seen).toHaveLength(2);
    const broken = aService(page());
    await expect(throughAllWaits(client(broken).mint(mintBody))).rejects.toMatchObject({
      message: "POST /v1/sdk/tokens was not answered with JSON; is baseUrl the service's address?",
      retryable: true,
    });
    expect(broken.seen).toHaveLength(3);
  });

  it("follow a lost connection, twice by default", async () => {
    const lost = new TypeError("fetch failed", {
      cause: Object.assign(new Error("x"), { code: "ECONNRESET" }),
    });
    const service = aService(lost);
    await expect(throughAllWaits(client(service).mint(mintBody))).rejects.toThrow(
      "POST /v1/sdk/tokens could not connect (ECONNRESET)",
    );
    expect(service.seen).toHaveLength(3);
  });

  it("are as many as asked for, by client or by call", async () => {
    const service = aService(new Response("busy", { status: 503 }));
    await expect(throughAllWaits(client(service, { maxRetries: 0 }).mint(mintBody))).rejects.toThrow(
      ApiError,
    );
    expect(service.seen).toHaveLength(1);
    await expect(throughAllWaits(client(service).mint(mintBody, { maxRetries: 4 }))).rejects.toThrow(
      ApiError,
    );
    expect(service.seen).toHaveLength(6);
  });

  it.each([
    ["a number of seconds", "7", 7000],
    ["a date", "Sat, 21 Nov 2026 09:00:20 GMT", 20_000],
    ["more than a minute, which is cut to a minute", "3600", 60_000],
  ])("wait as Retry-After says: %s", async (_, retryAfter, waitInMs) => {
    vi.setSystemTime("2026-11-21T09:00:00.000Z");
    const service = aService(
      new Response("busy", { status: 429, headers: { "retry-after": retryAfter } }),
      json(minted),
    );
    const call = client(service).mint(mintBody);
    await vi.advanceTimersByTimeAsync(waitInMs - 50);
    expect(service.seen).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(100);
    await expect(call).resolves.toMatchObject({ gated: false });
  });

  it("are told to the logger without keys", async () => {
    const line = () => vi.fn<(message: string) => void>();
    const logger = { debug: line(), info: line(), warn: line(), error: line() };
    const service = aService(new Response("busy", { status: 503 }), json(minted));
    await throughAllWaits(client(service, { logger }).mint(mintBody));
    expect(logger.warn.mock.calls).toEqual([["POST /v1/sdk/tokens: status 503, retry 1"]]);
    expect(JSON.stringify(logger.debug.mock.calls)).not.toContain(secretKey);
  });
});
