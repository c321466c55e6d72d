import { describe, expect, it } from "vitest";
import { ApiClient } from "./api-client.ts";
import { type SuiteApi } from "./suite-api.ts";
import { keysOf } from "./projects.ts";

const secretRoutes = [
  ["POST", "/v1/sdk/tokens"],
  ["GET", "/v1/sdk/pending-scores"],
  ["POST", "/v1/sdk/pending-scores/ack"],
  ["GET", "/v1/privacy/export"],
  ["DELETE", "/v1/privacy/erase"],
] as const;

export function accessSuite(suite: SuiteApi) {
  describe("the publishable key", () => {
    const at = (query: Record<string, string>, body?: unknown) =>
      suite.client("plain").call("POST", "/v1/sdk/bootstrap", { query, body });

    it("comes in the query, in the body, or the same in both", async () => {
      const { publishableKey: key } = keysOf("plain");
      expect((await at({ key })).status).toBe(200);
      expect((await at({}, { key })).status).toBe(200);
      expect((await at({ key }, { key })).status).toBe(200);
    });

    it("that differs between query and body is 400, whichever is good", async () => {
      const [key, other] = [keysOf("plain").publishableKey, keysOf("other").publishableKey];
      expect((await at({ key }, { key: other })).status).toBe(400);
      expect((await at({ key: "aw_pk_wrong" }, { key })).status).toBe(400);
    });

    it.each([
      ["missing", {}, {}],
      ["empty in the query", { key: "" }, undefined],
      ["empty in the body", {}, { key: "" }],
    ])("that is %s is 400 missing_key", async (_, query, body) => {
      const reply = await at(query as Record<string, string>, body);
      expect([reply.status, reply.json.code]).toEqual([400, "missing_key"]);
    });

    it("that is not a string is 400", async () => {
      for (const key of [1, true, null, {}, []]) expect((await at({}, { key })).status).toBe(400);
    });

    it("that does not exist is 401 invalid_key", async () => {
      for (const key of ["x", "aw_pk_x", `${keysOf("plain").publishableKey}x`, "__proto__"]) {
        const reply = await at({ key });
        expect([reply.status, reply.json.code]).toEqual([401, "invalid_key"]);
      }
    });

    it("is not the secret key: sent as `key` that is 401 and never echoed", async () => {
      const { secretKey } = keysOf("plain");
      const reply = await at({}, { key: secretKey });
      expect([reply.status, reply.json.code]).toEqual([401, "invalid_key"]);
      expect(reply.text).not.toContain(secretKey);
    });

    it("is not read from headers", async () => {
      const { publishableKey, secretKey } = keysOf("plain");
      const call = (headers: Record<string, string>) =>
        suite.client("plain").call("POST", "/v1/sdk/bootstrap", { headers });
      expect((await call({ authorization: `Bearer ${publishableKey}` })).status).toBe(400);
      expect((await call({ "x-service-key": secretKey })).status).toBe(400);
    });

    it("is enough: the headers for servers are ignored, valid or not", async () => {
      const headers = { "authorization": "Bearer nonsense", "x-service-key": "aw_sk_nobody" };
      expect((await suite.client("plain").bootstrap(undefined, { headers })).status).toBe(200);
    });
  });

  describe("the secret key", () => {
    const { secretKey, publishableKey } = keysOf("plain");
    const withHeaders = (headers: Record<string, string>) =>
      suite.client("plain").call("GET", "/v1/sdk/pending-scores", { headers });

    it.each([
      ["as Bearer", { authorization: `Bearer ${secretKey}` }],
      ["as bearer in another case", { authorization: `bEARER ${secretKey}` }],
      ["with spaces around", { authorization: `  Bearer   ${secretKey}  ` }],
      ["as X-Service-Key", { "x-service-key": secretKey }],
      ["in both headers", { "authorization": `Bearer ${secretKey}`, "x-service-key": secretKey }],
    ])("opens a secret route %s", async (_, headers) => {
      expect((await withHeaders(headers as Record<string, string>)).status).toBe(200);
    });

    it.each([
      ["nothing", {}],
      ["an empty header", { "x-service-key": "" }],
      ["the publishable key as Bearer", { authorization: `Bearer ${publishableKey}` }],
      ["the publishable key as X-Service-Key", { "x-service-key": publishableKey }],
      ["an unknown key", { authorization: `Bearer ${secretKey}x` }],
      ["another scheme", { authorization: `Basic ${secretKey}` }],
      ["no scheme", { authorization: secretKey }],
      ["two tokens", { authorization: `Bearer ${secretKey} ${secretKey}` }],
      ["one good and one bad", { "authorization": `Bearer ${secretKey}`, "x-service-key": "aw_sk_no" }],
      ["one bad and one good", { "authorization": "Bearer aw_sk_no", "x-service-key": secretKey }],
      [
        "keys of two projects",
        { "authorization": `Bearer ${secretKey}`, "x-service-key": keysOf("other").secretKey },
      ],
    ])("%s is 401 secret_key_required", async (_, headers) => {
      const reply = await withHeaders(headers as Record<string, string>);
      expect([reply.status, reply.json.code]).toEqual([401, "secret_key_required"]);
      expect(reply.text).not.toContain(secretKey);
    });

    it("does not open a secret route from the query or the body", async () => {
      const client = suite.client("plain");
      const key = { key: secretKey };
      expect((await client.call("GET", "/v1/sdk/pending-scores", { query: key })).status).toBe(401);
      expect((await client.call("POST", "/v1/sdk/tokens", { query: key, body: key })).status).toBe(401);
    });

    it.each(secretRoutes)(
      "%s %s reveals nothing about the request to a caller without it",
      async (method, path) => {
        const client = suite.client("plain");
        const query = { cursor: "nonsense", account: "what", limit: "-1" };
        const body = method === "POST" ? "{not json" : undefined;
        const reply = await client.call(method, path, { query, body });
        expect([reply.status, reply.json.code]).toEqual([401, "secret_key_required"]);
      },
    );
  });

  describe("origins", () => {
    const from = (projectId: string, origin?: string) =>
      suite.client(projectId).bootstrap(undefined, { headers: origin === undefined ? {} : { origin } });

    it.each([
      "https://app.example",
      "https://app.example:443",
      "https://a.wild.example",
      "https://a.b.wild.example",
      "http://localhost:5173",
    ])("%s is allowed and echoed, so that the page can read the reply", async (origin) => {
      const reply = await from("plain", origin);
      expect(reply.status).toBe(200);
      expect(reply.headers.get("access-control-allow-origin")).toBe(origin);
      expect(reply.headers.get("vary")).toBe("Origin");
      expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
      expect(reply.headers.get("access-control-expose-headers")).toContain("Retry-After");
    });

    it.each([
      "https://app.example.evil.example",
      "https://evilapp.example",
      "http://app.example",
      "https://app.example:8443",
      "https://wild.example",
      "https://evilwild.example",
      "https://a.wild.example.evil.example",
      "https://a.wild.example:8443",
      "http://a.wild.example",
      "http://localhost",
      "https://user@app.example",
      "https://app.example/path",
      "null",
      "*",
      "https://*.wild.example",
      "not an origin",
    ])("%s is refused with 403, and the page cannot read the reply", async (origin) => {
      const reply = await from("plain", origin);
      expect([reply.status, reply.json.code]).toEqual([403, "origin_not_allowed"]);
      expect(reply.headers.get("access-control-allow-origin")).toBeNull();
    });

    it("a request without an origin is not from a browser, and is allowed", async () => {
      for (const id of ["plain", "other"]) expect((await from(id)).status).toBe(200);
    });

    it("a project without a list refuses every page", async () => {
      expect((await from("other", "https://app.example")).status).toBe(403);
    });

    it("* allows every page but not an opaque one; null allows that alone", async () => {
      expect((await from("everyone", "https://any.example")).status).toBe(200);
      expect((await from("everyone", "null")).status).toBe(403);
      expect((await from("opaque", "null")).status).toBe(200);
      expect((await from("opaque", "https://any.example")).status).toBe(403);
    });

    it("refusals carry the origin too: a page must be able to read a 409", async () => {
      const client = suite.client("plain");
      const headers = { origin: "https://app.example" };
      const showToken = await client.unboundToken("nps");
      const body = { key: client.keys.publishableKey, showToken, surveyId: "nps", rating: 5 };
      await client.call("POST", "/v1/sdk/responses", { body, headers });
      for (const [sent, status] of [
        [body, 409],
        [{ ...body, showToken: "x" }, 401],
        [{}, 400],
      ] as const) {
        const reply = await client.call("POST", "/v1/sdk/responses", { body: sent, headers });
        expect(reply.status).toBe(status);
        expect(reply.headers.get("access-control-allow-origin")).toBe("https://app.example");
        expect(reply.headers.get("vary")).toBe("Origin");
      }
    });
  });

  describe("preflights", () => {
    it.each(["/v1/sdk/bootstrap", "/v1/sdk/responses", "/v1/dismissals", "/v1/responses", "/v1/definitions"])(
      "OPTIONS %s is 204 for any origin and without a key, which may be in the body",
      async (path) => {
        const headers = { "origin": "https://any.example", "access-control-request-method": "POST" };
        const reply = await suite.client("plain").call("OPTIONS", path, { headers });
        expect([reply.status, reply.text]).toEqual([204, ""]);
        expect(reply.headers.get("access-control-allow-origin")).toBe("https://any.example");
        expect(reply.headers.get("access-control-allow-methods")).toMatch(/POST|GET/);
        expect(reply.headers.get("access-control-allow-headers")).toBe("content-type");
        expect(Number(reply.headers.get("access-control-max-age"))).toBeGreaterThan(0);
      },
    );

    it.each(secretRoutes)("%s %s knows no CORS: OPTIONS is 405", async (method, path) => {
      const headers = { "origin": "https://app.example", "x-service-key": keysOf("plain").secretKey };
      const preflight = await suite.client("plain").call("OPTIONS", path, { headers });
      expect(preflight.status).toBe(405);
      const body = method === "POST" ? {} : undefined;
      const reply = await suite.client("plain").call(method, path, { headers, body });
      for (const { headers: sent } of [preflight, reply]) {
        expect([...sent.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    });
  });

  describe("a client", () => {
    it("of one project never sees another's surveys", async () => {
      const reply = await new ApiClient(suite.api.baseUrl, keysOf("other")).bootstrap();
      expect(reply.json.surveys.map(({ id }: { id: string }) => id).sort()).toEqual([
        "other-csat",
        "other-nps",
      ]);
    });
  });
}
