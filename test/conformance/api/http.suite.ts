import { describe, expect, it } from "vitest";
import { endpoints, methodAndPath, problems, type Endpoint } from "@afterword/protocol";
import { type Reply } from "./api-client.ts";
import { type SuiteApi } from "./suite-api.ts";

const table = (Object.entries(endpoints) as [string, Endpoint][]).map(([key, endpoint]) => ({
  ...methodAndPath(key),
  endpoint,
}));
const posts = table.filter(({ endpoint }) => endpoint.body);
const paths = [...new Set(table.map(({ path }) => path))];
/** Each field of a query that some endpoint knows, with a body that the endpoint takes. */
const queryFields = table.flatMap(({ method, path, endpoint }) =>
  Object.keys((endpoint.query as { shape?: object }).shape ?? {}).map(
    (field) => [method, path, field, endpoint.bodyExample] as const,
  ),
);
const kib = 1024;

export function httpSuite(suite: SuiteApi) {
  describe("refusals", () => {
    it("are problem documents with a stable code, a title and the request's id", async () => {
      const reply = await suite
        .client("plain")
        .submit({ showToken: "secret-token", surveyId: "nps", rating: 99 });
      expect(reply.headers.get("content-type")).toBe("application/problem+json");
      expect(reply.json).toMatchObject({
        type: "about:blank",
        status: 400,
        code: "invalid_body",
        title: problems.invalid_body.title,
        errors: [{ pointer: "/rating", code: expect.any(String) }],
      });
      expect(reply.json.instance).toMatch(/^[0-9a-f-]{36}$/);
    });

    it("never repeat what was sent", async () => {
      const client = suite.client("plain");
      const canary = "canary-7f3a";
      const fields = { showToken: canary, surveyId: canary, rating: 5, text: canary, userId: canary };
      const replies = [
        await client.submit(fields),
        await client.submit({ ...fields, rating: canary }),
        await client.submit({ ...fields, sessionId: `${canary}\u0001` }),
        await client.call("POST", "/v1/sdk/bootstrap", { query: { key: canary } }),
        await client.call("POST", "/v1/sdk/responses", { body: `{"${canary}` }),
        await client.export({ [canary]: canary }),
        await client.erase({ respondentId: "x", [canary]: "1" }),
        await client.pending({ cursor: canary }),
        await client.call("GET", `/${canary}`),
      ];
      for (const reply of replies) {
        expect(reply.status).toBeGreaterThanOrEqual(400);
        expect(reply.text).not.toContain(canary);
      }
    });
  });

  describe("paths and methods", () => {
    it.each(["/", "/v1", "/v2/sdk/bootstrap", "/v1/sdk", "/robots.txt"])(
      "%s is 404 route_not_found",
      async (path) => {
        const reply = await suite.client("plain").call("GET", path);
        expect([reply.status, reply.json.code]).toEqual([404, "route_not_found"]);
      },
    );

    it.each([
      "/v1/sdk/bootstrap/",
      "/V1/sdk/bootstrap",
      "/v1/sdk/Bootstrap",
      "/v1//sdk/bootstrap",
      "//v1/sdk/bootstrap",
      "/v1/sdk/%62ootstrap",
      "/v1%2Fsdk/bootstrap",
      "/v1/sdk/bootstrap;a=b",
    ])("%s is another path: 404, and no redirect, which would drop the body", async (path) => {
      expect((await suite.client("plain").call("POST", path, { body: {} })).status).toBe(404);
    });

    it.each(table.map(({ path, method }) => [path, method]))(
      "%s takes %s: another method is 405 with Allow",
      async (path, method) => {
        for (const other of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((one) => one !== method)) {
          const reply = await suite.client("plain").call(other, path);
          expect([other, reply.status, reply.json.code]).toEqual([other, 405, "method_not_allowed"]);
          expect(reply.headers.get("allow")).toContain(method);
        }
      },
    );

    it.each(["/openapi.yaml", "/docs", "/docs/start.js", "/healthz", "/readyz"])(
      "%s supports only GET: another method is 405 with Allow",
      async (path) => {
        for (const other of ["POST", "PUT", "DELETE", "OPTIONS"]) {
          const reply = await suite.client("plain").call(other, path);
          expect([other, reply.status, reply.headers.get("allow")]).toEqual([other, 405, "GET, HEAD"]);
        }
      },
    );

    it("HEAD is GET without a body", async () => {
      const client = suite.client("plain");
      for (const path of ["/v1/sdk/pending-scores", "/v1/privacy/export"]) {
        const reply = await client.server("HEAD", path);
        expect([reply.status, reply.text]).toEqual([200, ""]);
      }
      expect(
        (await client.call("HEAD", "/v1/definitions", { query: { key: client.keys.publishableKey } })).status,
      ).toBe(200);
      expect((await client.call("HEAD", "/v1/sdk/bootstrap")).status).toBe(405);
    });
  });

  describe("headers of replies", () => {
    it.each(paths)("%s is never cached and never sniffed", async (path) => {
      for (const method of ["GET", "POST"]) {
        const { headers } = await suite
          .client("plain")
          .call(method, path, method === "POST" ? { body: {} } : {});
        expect(headers.get("cache-control")).toBe("no-store");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
      }
    });

    it("of every success are those of uncached JSON in UTF-8", async () => {
      const client = suite.client("plain");
      const [userId, query] = [suite.newPerson(), { key: client.keys.publishableKey }];
      const { nps, csat } = (await client.bootstrap(userId)).json.showTokens;
      const successes: Record<string, Reply> = {
        "POST /v1/sdk/bootstrap": await client.bootstrap(userId),
        "GET /v1/definitions": await client.call("GET", "/v1/definitions", { query }),
        "POST /v1/sdk/responses": await client.submit({ showToken: nps, surveyId: "nps", rating: 9 }),
        "POST /v1/responses": await client.submit(
          { showToken: await client.unboundToken("nps"), surveyId: "nps", rating: 9 },
          "/v1/responses",
        ),
        "POST /v1/dismissals": await client.dismiss({ showToken: csat, surveyId: "csat", userId }),
        "POST /v1/sdk/tokens": await client.mint({ respondentId: userId }),
        "POST /v1/sdk/tokens/check": await client.check(nps),
        "POST /v1/shown": await client.shown(nps),
        "GET /v1/sdk/pending-scores": await client.pending(),
        "POST /v1/sdk/pending-scores/ack": await client.ack([{ id: "x", state: "failed" }]),
        "GET /v1/privacy/export": await client.export(),
        "DELETE /v1/privacy/erase": await client.erase({ respondentId: userId }),
      };
      expect(Object.keys(successes).sort()).toEqual(Object.keys(endpoints).sort());
      for (const [key, { status, headers }] of Object.entries(successes)) {
        const sent = ["content-type", "cache-control", "x-content-type-options"].map((name) =>
          headers.get(name),
        );
        expect([key, status, ...sent]).toEqual([
          key,
          (endpoints as Record<string, Endpoint>)[key]!.status,
          "application/json; charset=utf-8",
          "no-store",
          "nosniff",
        ]);
      }
    });

    it("GET /v1/definitions answers as bootstrap does, and keeps its address out of referrers", async () => {
      const client = suite.client("plain");
      const query = { key: client.keys.publishableKey, userId: suite.newPerson() };
      const [alias, original] = [
        await client.call("GET", "/v1/definitions", { query }),
        await client.call("POST", "/v1/sdk/bootstrap", { query }),
      ];
      expect(alias.json.surveys).toEqual(original.json.surveys);
      expect(Object.keys(alias.json.showTokens)).toEqual(Object.keys(original.json.showTokens));
      expect(alias.headers.get("referrer-policy")).toBe("no-referrer");
    });
  });

  describe("bodies", () => {
    const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      suite.client("plain").server("POST", path, { body, headers });

    it.each(posts.map(({ path, endpoint }) => [path, endpoint] as const))(
      "%s refuses what is not a JSON object with 400",
      async (path, endpoint) => {
        const code = endpoint.invalidBody ?? "invalid_body";
        for (const body of ["{", "nul", "null", "[]", '"x"', "1", "{}x", "\u0000", "{'a':1}"]) {
          const reply = await send(path, body);
          expect([body, reply.status, reply.json.code]).toEqual([body, 400, code]);
        }
        const empty = await send(path, "");
        expect(empty.json.code).toBe(endpoint.bodyOptional ? "missing_key" : code);
      },
    );

    it.each(posts.map(({ path }) => path))("%s refuses invalid UTF-8 with 400", async (path) => {
      const bytes = Buffer.concat([Buffer.from('{"key":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
      expect((await send(path, bytes)).status).toBe(400);
    });

    it.each(posts.map(({ path, endpoint }) => [path, endpoint.bodyLimit!] as const))(
      "%s takes %i bytes and refuses one more with 413",
      async (path, limit) => {
        const padded = (length: number) => `{"pad":"${"x".repeat(length - 10)}"}`;
        expect((await send(path, padded(limit))).status).not.toBe(413);
        const reply = await send(path, padded(limit + 1));
        expect([reply.status, reply.json.code]).toEqual([413, "payload_too_large"]);
      },
    );

    it("a body without a declared length is counted as it comes", async () => {
      const chunk = new TextEncoder().encode(" ".repeat(64 * kib));
      const stream = new ReadableStream({
        start(controller) {
          for (let sent = 0; sent < 5; sent++) controller.enqueue(chunk);
          controller.close();
        },
      });
      const response = await fetch(`${suite.api.baseUrl}/v1/sdk/bootstrap`, {
        method: "POST",
        body: stream,
        headers: { "content-type": "application/json" },
        duplex: "half",
      } as RequestInit);
      expect(response.status).toBe(413);
    });

    it.each([
      "application/json",
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "APPLICATION/JSON",
      "application/problem+json",
      "text/plain",
      "text/plain;charset=UTF-8",
    ])("the media type %s is accepted", async (type) => {
      const { publishableKey: key } = suite.client("plain").keys;
      expect(
        (await send("/v1/sdk/bootstrap", JSON.stringify({ key }), { "content-type": type })).status,
      ).toBe(200);
    });

    it.each([
      ["content-type", "application/x-www-form-urlencoded"],
      ["content-type", "multipart/form-data; boundary=x"],
      ["content-type", "text/html"],
      ["content-type", "application/json; charset=utf-16"],
      ["content-type", "application/json; charset=iso-8859-1"],
      ["content-type", "application"],
      ["content-encoding", "gzip"],
      ["content-encoding", "br"],
    ])("%s: %s is 415", async (name, value) => {
      const reply = await send("/v1/sdk/bootstrap", '{"key":"x"}', { [name]: value });
      expect([reply.status, reply.json.code]).toEqual([415, "unsupported_media_type"]);
    });

    it("a byte order mark is passed over, and of repeated keys the last wins", async () => {
      const { publishableKey: key } = suite.client("plain").keys;
      expect((await send("/v1/sdk/bootstrap", `\ufeff{"key":"wrong","key":"${key}"}`)).status).toBe(200);
    });

    it("bootstrap works without a body, and treats a null userId as absent", async () => {
      const client = suite.client("plain");
      const query = { key: client.keys.publishableKey };
      expect((await client.call("POST", "/v1/sdk/bootstrap", { query })).status).toBe(200);
      const userId = suite.newPerson();
      const both = { query: { ...query, userId }, body: { userId: null } };
      expect((await client.call("POST", "/v1/sdk/bootstrap", both)).status).toBe(200);
      const differing = { query: { ...query, userId }, body: { userId: "someone-else" } };
      expect((await client.call("POST", "/v1/sdk/bootstrap", differing)).status).toBe(400);
    });

    it("DELETE ignores a body: without a selector in the query it is 400", async () => {
      const client = suite.client("plain");
      const reply = await client.server("DELETE", "/v1/privacy/erase", { body: { account: "true" } });
      expect([reply.status, reply.json.code]).toEqual([400, "invalid_selectors"]);
    });
  });

  describe("queries", () => {
    it.each(queryFields)(
      "%s %s with %s twice is 400, though both are the same",
      async (method, path, field, body) => {
        const client = suite.client("plain");
        const reply = await client.server(method, path, { query: `${field}=1&${field}=1`, body });
        expect([reply.status, reply.json.errors]).toEqual([
          400,
          [{ pointer: `#${field}`, code: "repeated" }],
        ]);
      },
    );

    it("an unknown field is ignored, even twice, but not on the privacy routes", async () => {
      const client = suite.client("plain");
      const query = `key=${client.keys.publishableKey}&utm=a&utm=b`;
      expect((await client.call("POST", "/v1/sdk/bootstrap", { query })).status).toBe(200);
      for (const reply of [
        await client.export({ respondentid: "x" }),
        await client.erase({ respondentid: "x" }),
      ]) {
        expect([reply.status, reply.json.code]).toEqual([400, "invalid_selectors"]);
      }
    });

    it.each(["%", "%zz", "%ff", "%c3%28"])("the broken encoding %s is 400", async (value) => {
      const reply = await suite
        .client("plain")
        .call("POST", "/v1/sdk/bootstrap", { query: `userId=${value}` });
      expect(reply.status).toBe(400);
    });

    it("__proto__ is a name like any other", async () => {
      const client = suite.client("plain");
      const query = `key=${client.keys.publishableKey}&__proto__=1&constructor=2`;
      expect((await client.call("POST", "/v1/sdk/bootstrap", { query })).status).toBe(200);
    });
  });

  describe("/openapi.yaml", () => {
    it("is served to everyone, with every endpoint of the table and version 0.1", async () => {
      const reply = await suite
        .client("plain")
        .call("GET", "/openapi.yaml", { headers: { origin: "https://x.example" } });
      expect(reply.status).toBe(200);
      expect(reply.headers.get("content-type")).toBe("application/yaml");
      expect(reply.headers.get("access-control-allow-origin")).toBe("*");
      expect(reply.text).toContain('version: "0.1"');
      for (const path of paths) expect(reply.text).toContain(`${path}:`);
    });
  });
}
