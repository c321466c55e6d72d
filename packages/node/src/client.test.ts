import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client, type AfterwordOptions } from "./client.ts";
import { AbortError, Afterword, AfterwordError, ApiError, ConnectionError, TimeoutError } from "./index.ts";

const secretKey = "aw_sk_0123456789abcdef01234567";
const baseUrl = "https://feedback.example.com";

interface SeenRequest {
  method: string;
  url: string;
  headers: Headers;
  body: unknown;
}

type Reply = Response | Error | (() => Response | Promise<Response>);

/** A service that gives these replies in turn, the last one for ever. */
function aService(...replies: Reply[]) {
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

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

const problem = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ type: "about:blank", title: "x", status, code, ...more }), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });

const client = (service: { fetch: typeof fetch }, options: AfterwordOptions = {}) =>
  new Afterword({ secretKey, baseUrl, fetch: service.fetch, ...options });

const minted = { tokens: { "survey-1": "st2.a" }, suppression: [], issuedAt: "2026-11-21T09:00:00.000Z" };
const mintBody = { respondentId: "respondent-1", sessionId: "session-1" };

// Retries wait by the runtime's timers; here they are moved by hand.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lets every wait pass and gives what came of the call. */
async function throughAllWaits<T>(call: Promise<T>): Promise<T> {
  call.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(600_000);
  return call;
}

describe("mint", () => {
  it("sends what the server knows and answers the tokens", async () => {
    const service = aService(json(minted));
    await expect(client(service).mint({ ...mintBody, taskType: "search" })).resolves.toEqual({
      ...minted,
      gated: false,
    });
    const [request] = service.seen;
    expect(request).toMatchObject({
      method: "POST",
      url: `${baseUrl}/v1/sdk/tokens`,
      body: { ...mintBody, taskType: "search" },
    });
    expect(request!.headers.get("authorization")).toBe(`Bearer ${secretKey}`);
  });

  it("says that a respondent is gated, which is not an error", async () => {
    const service = aService(json({ ...minted, tokens: {} }));
    await expect(client(service).mint(mintBody)).resolves.toMatchObject({ gated: true, tokens: {} });
  });

  it("takes no success without tokens for one", async () => {
    for (const reply of [{}, { tokens: null }, { tokens: "st2" }]) {
      await expect(client(aService(json(reply))).mint(mintBody)).rejects.toThrow("answered without `tokens`");
    }
  });

  it("keeps the path of a base URL", async () => {
    const service = aService(json(minted));
    await client(service, { baseUrl: "https://example.com/feedback/" }).mint(mintBody);
    expect(service.seen[0]!.url).toBe("https://example.com/feedback/v1/sdk/tokens");
  });

  it("tolerates fields that it does not know", async () => {
    const service = aService(json({ ...minted, later: true }));
    await expect(client(service).mint(mintBody)).resolves.toMatchObject({ gated: false });
  });
});

describe("pendingScores", () => {
  const row = (id: string) => ({ id, surveyId: "s", at: "2026-11-21T09:00:00.000Z" });

  it("walks over all pages by cursor", async () => {
    const service = aService(
      json({ scores: [row("a"), row("b")], nextCursor: "c 1&" }),
      json({ scores: [row("c")] }),
    );
    const ids: string[] = [];
    for await (const { id } of client(service).pendingScores({ limit: 2 })) ids.push(id);
    expect(ids).toEqual(["a", "b", "c"]);
    expect(service.seen.map(({ url }) => new URL(url).search)).toEqual([
      "?limit=2",
      "?limit=2&cursor=c+1%26",
    ]);
  });

  it("gives whole pages, a hundred rows each unless told otherwise", async () => {
    const service = aService(json({ scores: [row("a")] }));
    const pages = [];
    for await (const page of client(service).pendingScores({ includeFailed: true }).pages()) pages.push(page);
    expect(pages).toEqual([{ scores: [row("a")] }]);
    expect(new URL(service.seen[0]!.url).search).toBe("?limit=100&includeFailed=true");
  });

  it("fetches no page that nobody asks for", async () => {
    const service = aService(json({ scores: [row("a"), row("b")], nextCursor: "next" }));
    for await (const { id } of client(service).pendingScores()) if (id === "b") break;
    expect(service.seen).toHaveLength(1);
  });

  it("goes on behind a cursor", async () => {
    const service = aService(json({ scores: [] }));
    await client(service).pendingScores({ cursor: "here" })[Symbol.asyncIterator]().next();
    expect(new URL(service.seen[0]!.url).searchParams.get("cursor")).toBe("here");
  });

  it.each([0, -1, 1.5, 101])("refuses a page of %d rows before anything is sent", (limit) => {
    const service = aService(json({}));
    expect(() => client(service).pendingScores({ limit })).toThrow("it must be a whole number from 1 to 100");
    expect(service.seen).toEqual([]);
  });

  it.each([[{}], [{ scores: "none" }], [{ scores: [{ id: "" }] }], [{ scores: [null] }]])(
    "refuses the reply %j, whose rows could not be acknowledged",
    async (reply) => {
      const rows = client(aService(json(reply))).pendingScores();
      await expect(rows[Symbol.asyncIterator]().next()).rejects.toThrow(ConnectionError);
    },
  );
});

describe("ack", () => {
  const results = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `row-${index}`, state: "delivered" as const }));

  it("splits above 200 and counts all updates", async () => {
    const service = aService(
      json({ ok: true, updated: 200 }),
      json({ ok: true, updated: 200 }),
      json({ ok: true, updated: 7 }),
    );
    await expect(client(service).ack(results(450))).resolves.toEqual({ updated: 407 });
    const sizes = service.seen.map(({ body }) => (body as { results: unknown[] }).results.length);
    expect(sizes).toEqual([200, 200, 50]);
  });

  it("of nothing sends nothing", async () => {
    const service = aService(json({}));
    await expect(client(service).ack([])).resolves.toEqual({ updated: 0 });
    expect(service.seen).toEqual([]);
  });
});

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

  it("follow a lost connection, twice by default", async () => {
    const lost = new TypeError("fetch failed", {
      cause: Object.assign(new Error("x"), { code: "ECONNRESET" }),
    });
    const service = aService(lost);
    await expect(throughAllWaits(client(service).mint(mintBody))).rejects.toThrow(
      "POST /v1/sdk/tokens found no connection (ECONNRESET)",
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

describe("errors", () => {
  it("carry status, code, request id and what the service asks for", async () => {
    const service = aService(problem(429, "rate_limited", { instance: "request-9" }, { "retry-after": "3" }));
    const error: unknown = await throughAllWaits(
      client(service, { maxRetries: 0 })
        .mint(mintBody)
        .catch((thrown: unknown) => thrown),
    );
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 429,
      code: "rate_limited",
      requestId: "request-9",
      retryAfterInMs: 3000,
      retryable: true,
      method: "POST",
      path: "/v1/sdk/tokens",
    });
    expect((error as Error).message).toBe(
      "POST /v1/sdk/tokens was refused with status 429: rate_limited, Too many requests [request id request-9]",
    );
  });

  it("say where a body is wrong, and what to do", async () => {
    const service = aService(
      problem(400, "invalid_body", {
        detail: "Send a JSON object of the documented shape.",
        errors: [{ pointer: "/respondentId", code: "too_small" }],
      }),
    );
    await expect(client(service).mint({ ...mintBody, respondentId: "" })).rejects.toThrow(
      "POST /v1/sdk/tokens was refused with status 400: invalid_body, " +
        "Send a JSON object of the documented shape. (/respondentId)",
    );
  });

  it("quote nothing of a body whose shape is not known, since it may repeat personal data", async () => {
    const service = aService(
      json({ message: "no such person: jo@example.com" }, 404, { "x-request-id": "abc" }),
    );
    await expect(client(service).mint(mintBody)).rejects.toThrow(
      /^POST \/v1\/sdk\/tokens was refused with status 404 \[request id abc\]$/,
    );
  });

  it("tell a timeout from a lost connection", async () => {
    const never = () => new Promise<Response>(() => undefined);
    const call = client(aService(never), { timeout: 1000, maxRetries: 0 }).mint(mintBody);
    await expect(throughAllWaits(call)).rejects.toThrow(TimeoutError);
    await expect(throughAllWaits(call)).rejects.toThrow("POST /v1/sdk/tokens was not answered in time");
  });

  it("tell when the caller's own signal ended the call, also while waiting for a retry", async () => {
    const ending = new AbortController();
    const service = aService(new Response("busy", { status: 503 }));
    const call = client(service).mint(mintBody, { signal: ending.signal });
    call.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(10);
    ending.abort();
    await expect(throughAllWaits(call)).rejects.toThrow(AbortError);
    expect(service.seen).toHaveLength(1);
  });

  it("say that something else than the service has answered", async () => {
    const service = aService(new Response("<html>sign in</html>", { status: 200 }));
    await expect(client(service).mint(mintBody)).rejects.toThrow("is baseUrl the service's address?");
  });

  it("are recognised across two copies of the package", () => {
    const foreign = { [Symbol.for("afterword.error")]: true, [Symbol.for("afterword.error.api")]: true };
    expect(AfterwordError.isInstance(foreign)).toBe(true);
    expect(ApiError.isInstance(foreign)).toBe(true);
    expect(TimeoutError.isInstance(foreign)).toBe(false);
    expect(AfterwordError.isInstance(new Error("other"))).toBe(false);
    expect(AfterwordError.isInstance(undefined)).toBe(false);
  });
});

describe("keys", () => {
  const environment = (variables: Record<string, string>, scope = {}) => ({
    variables,
    scope,
    fetch: globalThis.fetch,
    now: () => 0,
    random: () => 0,
  });

  it("come from the environment where no option gives them", async () => {
    const service = aService(json(minted));
    const variables = { AFTERWORD_SECRET_KEY: secretKey, AFTERWORD_BASE_URL: baseUrl };
    await new Client({ fetch: service.fetch }, environment(variables)).mint(mintBody);
    expect(service.seen[0]!.headers.get("authorization")).toBe(`Bearer ${secretKey}`);
  });

  it("may come from a function, asked for each request, so that they can be rotated", async () => {
    const service = aService(json(minted));
    const keys = ["aw_sk_first", "aw_sk_second"];
    const rotating = client(service, { secretKey: async () => keys.shift()! });
    await rotating.mint(mintBody);
    await rotating.mint(mintBody);
    expect(service.seen.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer aw_sk_first",
      "Bearer aw_sk_second",
    ]);
  });

  it.each([
    ["none at all", {}, "No secret key: pass secretKey or set AFTERWORD_SECRET_KEY."],
    ["a publishable one", { secretKey: "aw_pk_0123456789" }, "secretKey is a publishable key"],
    ["another service's publishable one", { secretKey: "pk_live_123" }, "secretKey is a publishable key"],
    ["one with a line break", { secretKey: "aw_sk_0123\n" }, "secretKey has spaces, line breaks"],
  ])("are refused before any request: %s", (_, options, message) => {
    expect(() => new Client({ baseUrl, ...options }, environment({}))).toThrow(message);
  });

  it("that cannot be had is told as such, may be tried again, and nothing is sent", async () => {
    const service = aService(json(minted));
    const secretKey = () => Promise.reject(new RangeError("vault: hush"));
    const error = await throughAllWaits(client(service, { secretKey }).mint(mintBody)).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ retryable: true, message: "the secret key could not be had (RangeError)" });
    expect(service.seen).toEqual([]);
  });

  it("of a function are refused before any request too", async () => {
    const service = aService(json(minted));
    const call = client(service, { secretKey: () => "aw_pk_0123456789" }).mint(mintBody);
    await expect(throughAllWaits(call)).rejects.toThrow("secretKey is a publishable key");
    expect(service.seen).toEqual([]);
  });

  it("never stand in the message of what refuses them", () => {
    const make = () => new Client({ baseUrl, secretKey: "aw_pk_veryprivate" }, environment({}));
    expect(make).not.toThrow("veryprivate");
    expect(make).toThrow("publishable");
  });

  it.each([
    ["a page", { window: { document: {} } }],
    ["a worker of a page", { navigator: { userAgent: "Mozilla/5.0 (X11; Linux x86_64)" } }],
  ])("are refused in %s", (_, scope) => {
    expect(() => new Client({ baseUrl, secretKey }, environment({}, scope))).toThrow(
      "must not run in a browser",
    );
  });

  it.each([
    ["Node", { navigator: { userAgent: "Node.js/24" } }],
    ["Bun", { navigator: { userAgent: "Bun/1.3" } }],
    ["Deno", { navigator: { userAgent: "Deno/2.5" }, window: undefined }],
    ["Cloudflare Workers", { navigator: { userAgent: "Cloudflare-Workers" } }],
    ["an edge runtime without a navigator", {}],
  ])("are welcome in %s", (_, scope) => {
    expect(() => new Client({ baseUrl, secretKey }, environment({}, scope))).not.toThrow();
  });
});

describe("options that cannot work are refused when the client is made", () => {
  it.each([
    [{ baseUrl: "" }, "No base URL: pass baseUrl or set AFTERWORD_BASE_URL."],
    [{ baseUrl: "feedback.example.com" }, "baseUrl must be an absolute URL"],
    [{ baseUrl: "ftp://example.com" }, "baseUrl must be an absolute URL"],
    [{ baseUrl: "https://me:hush@example.com" }, "baseUrl must have no user, password"],
    [{ baseUrl: "https://example.com/?key=hush" }, "query or fragment"],
    [{ maxRetries: -1 }, "maxRetries is -1; it must be a whole number from 0."],
    [{ maxRetries: 1.5 }, "maxRetries is 1.5"],
    [{ timeout: 0 }, "timeout is 0"],
    [{ timeout: Number.NaN }, "timeout is NaN"],
  ])("%o", (options, message) => {
    expect(() => client(aService(json({})), options)).toThrow(message);
  });
});
