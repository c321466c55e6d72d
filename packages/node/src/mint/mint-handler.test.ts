import { serveLocally } from "@afterword/command-line/local-server.fixture";
import { describe, expect, it, vi } from "vitest";
import {
  Afterword,
  ConnectionError,
  createMintHandler,
  type Authorized,
  type MintBody,
  type Minted,
} from "../index.ts";

const minted: Minted = {
  tokens: { csat: "st2.token" },
  suppression: ["nps"],
  issuedAt: "2026-11-21T09:00:00.000Z",
  gated: false,
  sampled: { csat: true },
};

function aHandler(parts: {
  authorize?: (request: Request) => Authorized;
  surveyId?: string;
  mint?: () => Promise<Minted>;
  allowedOrigins?: string[];
}) {
  const mint = vi.fn<(body: MintBody) => Promise<Minted>>(parts.mint ?? (async () => minted));
  const authorize =
    parts.authorize ?? (() => ({ respondentId: "jo", sessionId: "session-1", taskType: "search" }));
  const { allowedOrigins, surveyId } = parts;
  const handler = createMintHandler({ client: { mint }, authorize, allowedOrigins, surveyId });
  return { handler, mint };
}

const aRequest = (headers: Record<string, string> = {}, init: RequestInit = {}) =>
  new Request("https://app.example.com/feedback", {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin", ...headers },
    ...init,
  });

describe("createMintHandler", () => {
  it("answers what the page's install needs, and nothing that it must not know", async () => {
    const { handler } = aHandler({});
    const response = await handler(aRequest());
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({
      tokens: { csat: "st2.token" },
      gated: false,
      sessionId: "session-1",
      taskType: "search",
    });
  });

  it("takes respondent, session and observation from authorize alone, never from the request's body", async () => {
    const { handler, mint } = aHandler({});
    const body = JSON.stringify({ respondentId: "another-person", sessionId: "stolen", observationId: "o" });
    await handler(aRequest({ "content-type": "application/json" }, { body }));
    expect(mint.mock.calls[0]![0]).toEqual({
      respondentId: "jo",
      sessionId: "session-1",
      observationId: undefined,
      taskType: "search",
      surveyId: undefined,
    });
  });

  it.each([
    [undefined, undefined, undefined],
    ["task-done", undefined, "task-done"],
    ["task-done", "refund-done", "refund-done"],
  ])("with surveyId %s and authorize naming %s mints for %s", async (surveyId, named, expected) => {
    const authorize = () => ({ respondentId: "jo", sessionId: "session-1", surveyId: named });
    const { handler, mint } = aHandler({ surveyId, authorize });
    await handler(aRequest());
    expect(mint.mock.calls[0]![0].surveyId).toBe(expected);
  });

  it("answers no tokens to a gated respondent, which is not an error", async () => {
    const { handler } = aHandler({ mint: async () => ({ ...minted, tokens: {}, gated: true }) });
    const response = await handler(aRequest());
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ tokens: {}, gated: true });
  });

  it.each([null, undefined])("refuses with 401 when authorize returns %s", async (caller) => {
    const { handler, mint } = aHandler({ authorize: () => caller });
    expect((await handler(aRequest())).status).toBe(401);
    expect(mint).not.toHaveBeenCalled();
  });

  it.each(["GET", "PUT", "DELETE"])("answers 405 to %s", async (method) => {
    const response = await aHandler({}).handler(aRequest({}, { method }));
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  const rejects = () => Promise.reject(new ConnectionError("inner host of jo@example.com"));
  const throws = () => {
    throw new Error("database of jo@example.com");
  };
  it.each([
    ["the service cannot mint", { mint: rejects }],
    ["authorize throws", { authorize: throws }],
  ])("answers 503 when %s, and does not say why to the page", async (_, parts) => {
    const response = await aHandler(parts).handler(aRequest());
    expect(response.status).toBe(503);
    expect(await response.text()).not.toMatch(/ of jo/);
  });
});

describe("a service that does not answer", () => {
  it("leaves the page with 503 after the handler's own timeout, retries included", async () => {
    await using hanging = await serveLocally(() => undefined);
    const client = new Afterword({ baseUrl: hanging.url, secretKey: `aw_sk_${"x".repeat(24)}` });
    const warn = vi.fn<(message: string) => void>();
    const logger = { ...console, warn };
    const authorize = () => ({ respondentId: "jo", sessionId: "session-1" });
    const handler = createMintHandler({ client, authorize, timeoutInMs: 50, logger });
    expect((await handler(aRequest())).status).toBe(503);
    expect(warn).toHaveBeenCalledWith("minting for a page failed: no reply within 50 ms");
  });
});

describe("requests from other sites are refused before authorize is called", () => {
  const from = (site: string, origin: string) => ({ "sec-fetch-site": site, origin });
  it.each([
    ["another site", from("cross-site", "https://evil.example"), 403],
    ["another host of the same site", from("same-site", "https://x.example.com"), 403],
    ["the page's own origin", from("same-origin", "https://app.example.com"), 200],
    ["an origin that is allowed", from("cross-site", "https://shop.example.com"), 200],
    [
      "an origin that begins as an allowed one",
      from("cross-site", "https://shop.example.com.evil.example"),
      403,
    ],
    ["a sandboxed frame", from("cross-site", "null"), 403],
  ])("%s", async (_, headers: Record<string, string>, status) => {
    const { handler } = aHandler({ allowedOrigins: ["https://shop.example.com"] });
    expect((await handler(aRequest(headers))).status).toBe(status);
  });

  it.each([
    ["an old browser on the same host", { origin: "https://app.example.com" }, 200],
    [
      "an old browser behind a proxy that keeps Host",
      { origin: "https://public.example.com", host: "public.example.com" },
      200,
    ],
    ["an old browser on another host", { origin: "https://evil.example" }, 403],
    ["an old browser in a sandboxed frame", { origin: "null" }, 403],
    ["no browser at all", {}, 200],
  ])("%s", async (_, headers: Record<string, string>, status) => {
    const authorize = vi.fn<() => Authorized>(() => ({ respondentId: "jo", sessionId: "s" }));
    const { handler } = aHandler({ authorize });
    const request = new Request("https://app.example.com/feedback", { method: "POST", headers });
    expect((await handler(request)).status).toBe(status);
    expect(authorize).toHaveBeenCalledTimes(status === 200 ? 1 : 0);
  });
});

it("a refused page's developer is told which option allows its origin", async () => {
  const { handler } = aHandler({});
  const refused = await handler(
    aRequest({ "sec-fetch-site": "cross-site", "origin": "https://evil.example" }),
  );
  expect(await refused.json()).toMatchObject({ title: expect.stringContaining("allowedOrigins") });
});

describe("a page of a listed origin", () => {
  const listed = { "origin": "https://shop.example.com", "sec-fetch-site": "cross-site" };
  const { handler } = aHandler({ allowedOrigins: [listed.origin] });

  it("may read the reply, with the person's cookies", async () => {
    for (const refuses of [false, true]) {
      const authorize = refuses ? () => undefined : undefined;
      const { handler } = aHandler({ allowedOrigins: [listed.origin], authorize });
      const { status, headers } = await handler(aRequest(listed));
      expect(status).toBe(refuses ? 401 : 200);
      expect(headers.get("access-control-allow-origin")).toBe(listed.origin);
      expect(headers.get("access-control-allow-credentials")).toBe("true");
      expect(headers.get("vary")).toBe("Origin");
    }
  });

  it("has its preflight answered, without asking authorize", async () => {
    const { status, headers } = await handler(aRequest(listed, { method: "OPTIONS" }));
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-methods")).toBe("POST");
    expect(headers.get("access-control-allow-headers")).toBe("content-type");
    expect(headers.get("access-control-allow-credentials")).toBe("true");
  });

  it("may send a bearer token, and what tracers add to each request", async () => {
    const asked = "authorization,baggage,sentry-trace,traceparent,x-datadog-trace-id";
    const names = { ...listed, "access-control-request-headers": asked };
    const { headers } = await handler(aRequest(names, { method: "OPTIONS" }));
    expect(headers.get("access-control-allow-headers")).toBe(asked);
    expect(headers.get("vary")).toBe("Origin, Access-Control-Request-Headers");
  });

  it("is the only one: others are told nothing that lets a page read", async () => {
    const other = { "origin": "https://evil.example", "sec-fetch-site": "cross-site" };
    for (const method of ["POST", "OPTIONS"]) {
      const asked = { ...other, "access-control-request-headers": "traceparent" };
      const { status, headers } = await handler(aRequest(asked, { method }));
      expect(headers.get("access-control-allow-headers")).toBeNull();
      expect(status).toBe(method === "POST" ? 403 : 405);
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});
