import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RateLimitsConfig } from "@afterword/reference-server";
import { ApiClient, type Reply } from "@afterword/conformance";
import { type ApiWorld, type OpenWorld, type RunningApi } from "./api-world.ts";
import { keysOf, project } from "./projects.ts";

const quotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded";

function useLimits(open: OpenWorld, rateLimits: RateLimitsConfig) {
  const suite = {} as { world: ApiWorld; api: RunningApi; client: ApiClient };
  beforeAll(async () => {
    suite.world = await open();
    suite.api = await suite.world.start({
      rateLimits,
      trustedProxies: 1,
      projects: [project("plain", { allowedOrigins: ["https://app.example"] }), project("other")],
    });
    suite.client = new ApiClient(suite.api.baseUrl, keysOf("plain"));
  });
  afterAll(async () => {
    await suite.api.stop();
    await suite.world.dispose();
  });
  return suite;
}

function expectLimited(reply: Reply, policy: string) {
  expect([reply.status, reply.json.code]).toEqual([429, "rate_limited"]);
  expect(reply.json.type).toBe(quotaExceeded);
  expect(reply.json["violated-policies"]).toEqual([policy]);
  // Never earlier than the field of the draft says, and never at once (decision D39).
  const wait = Number(reply.headers.get("retry-after"));
  expect(wait).toBeGreaterThanOrEqual(1);
  const told = new RegExp(`"${policy}";r=0;t=(\\d+)`).exec(reply.headers.get("ratelimit") ?? "")?.[1];
  expect(wait).toBeGreaterThanOrEqual(Number(told));
}

/** Small quotas, so that a suite reaches them; the defaults are tested where they stand. */
export function limitsSuite(open: OpenWorld) {
  describe("the limit of public routes", () => {
    const suite = useLimits(open, { public: { perMinute: 60, burst: 5 } });
    const from = (address: string, client = suite.client) =>
      client.bootstrap(undefined, { headers: { "x-forwarded-for": address } });

    it("counts each address and each project apart, and an IPv6 network as one client", async () => {
      for (let count = 0; count < 6; count++) await from(`2001:db8:1:2::${count}`);
      expect((await from("2001:db8:1:2:ffff::1")).status).toBe(429);
      expect((await from("2001:db8:1:3::1")).status).toBe(200);
      expect((await from("2001:db8:1:2::1", new ApiClient(suite.api.baseUrl, keysOf("other")))).status).toBe(
        200,
      );
    });

    it("is one for all public routes and their aliases; a list of tokens counts once", async () => {
      const headers = { "x-forwarded-for": "192.0.2.3", "origin": "https://app.example" };
      const { publishableKey: key } = suite.client.keys;
      const body = { key, showToken: "x", surveyId: "x", rating: 1, userId: "u" };
      const post = (path: string) => suite.client.call("POST", path, { headers, body });
      await suite.client.call("GET", "/v1/definitions", { headers, query: { key } });
      for (const path of ["/v1/sdk/bootstrap", "/v1/responses", "/v1/dismissals"]) await post(path);
      const list = { headers, body: { key, showTokens: Array(100).fill("x") } };
      expect((await suite.client.call("POST", "/v1/sdk/tokens/check", list)).status).toBe(200);
      // Before the token is looked at, and readable by the page.
      const { status, headers: replied } = await post("/v1/sdk/responses");
      expect([status, replied.get("access-control-allow-origin")]).toEqual([429, headers.origin]);
    });
  });

  describe("the limit of an address", () => {
    const suite = useLimits(open, { address: { perMinute: 60, burst: 4 } });
    const bodyTooLarge = "x".repeat(300_000);

    it("is for pages: secret routes have their own limits, and privacy routes none", async () => {
      const from = { headers: { "x-forwarded-for": "198.51.100.77" } };
      for (let count = 0; count < 5; count++) await suite.client.bootstrap(undefined, from);
      expectLimited(await suite.client.bootstrap(undefined, from), "address");
      for (const path of ["/v1/privacy/export", "/v1/sdk/pending-scores"])
        expect((await suite.client.server("GET", path, from)).status).toBe(200);
    });

    it("covers all projects, and refuses with 429 before the body is read", async () => {
      const other = new ApiClient(suite.api.baseUrl, keysOf("other"));
      const from = { headers: { "x-forwarded-for": "192.0.2.20" } };
      for (const client of [suite.client, other, suite.client, other])
        expect((await client.bootstrap(undefined, from)).status).toBe(200);
      expectLimited(await other.bootstrap(undefined, from), "address");
      expectLimited(await other.bootstrap(undefined, { ...from, body: bodyTooLarge }), "address");
      const elsewhere = { headers: { "x-forwarded-for": "192.0.2.21" } };
      expect((await other.bootstrap(undefined, elsewhere)).status).toBe(200);
      suite.world.clock.advance(1000);
      expect((await other.bootstrap(undefined, from)).status).toBe(200);
    });
  });

  describe("the limits of secret routes", () => {
    const suite = useLimits(open, {
      mint: { perMinute: 3 },
      pending: { perMinute: 2 },
      ack: { perMinute: 1 },
      badAuth: { perMinute: 4 },
    });

    it("are one per project and route: mint, pending and ack", async () => {
      const mint = () => suite.client.mint({ respondentId: "r" });
      const ack = () => suite.client.ack([{ id: "x", state: "failed" }]);
      for (let count = 0; count < 3; count++) expect((await mint()).status).toBe(200);
      // Before the body is looked at.
      expectLimited(await suite.client.server("POST", "/v1/sdk/tokens", { body: "{" }), "mint");
      for (let count = 0; count < 2; count++) expect((await suite.client.pending()).status).toBe(200);
      expectLimited(await suite.client.pending(), "pending");
      expect((await ack()).status).toBe(200);
      expectLimited(await ack(), "ack");
      const other = new ApiClient(suite.api.baseUrl, keysOf("other"));
      expect((await other.mint({ respondentId: "r" })).status).toBe(200);
    });

    it("failed authentication is limited per address, and good keys from there still work", async () => {
      const wrong = (path: string, method = "GET") =>
        suite.client.call(method, path, {
          headers: { "x-service-key": "aw_sk_wrong", "x-forwarded-for": "192.0.2.9" },
        });
      for (let count = 0; count < 4; count++) {
        expect((await wrong("/v1/sdk/pending-scores")).status).toBe(401);
      }
      expectLimited(await wrong("/v1/sdk/pending-scores"), "bad-auth");
      expect((await wrong("/v1/privacy/export")).status).toBe(401);
      suite.world.clock.advance(60_000);
      const good = { headers: { "x-forwarded-for": "192.0.2.9" } };
      expect((await suite.client.server("GET", "/v1/sdk/pending-scores", good)).status).toBe(200);
    });
  });
}
