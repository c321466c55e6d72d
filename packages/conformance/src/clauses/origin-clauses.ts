import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { publicPosts, secretRoutes } from "./endpoints.ts";
import { expectRefusal, expectStatus } from "./expectations.ts";

/** Origins that look like an allowed one and are not it. */
function lookalikes(origin: string): string[] {
  const { protocol, hostname, port } = new URL(origin);
  const other = protocol === "https:" ? "http:" : "https:";
  return [
    `${origin}.evil.example`,
    `${protocol}//evil${hostname}`,
    `${other}//${hostname}${port && `:${port}`}`,
    `${protocol}//${hostname}:${port === "8443" ? "8444" : "8443"}`,
    `${protocol}//user@${hostname}`,
    `${origin}/path`,
    "null",
    "*",
    "not an origin",
  ];
}

export const originClauses = under("5. Authentication", [
  test("an allowed origin is echoed, with Vary and the exposed headers, and without credentials", async (service) => {
    const { first: client, allowedOrigin, newPerson } = service;
    const headers = { origin: allowedOrigin };
    const showToken = await client.unboundToken("nps", newPerson());
    const body = { key: client.keys.publishableKey, showToken, surveyId: "nps", rating: 5 };
    for (const [sent, status] of [
      [body, 201],
      [body, 409],
      [{ ...body, showToken: "x" }, 401],
      [{}, 400],
    ] as const) {
      const reply = await client.call("POST", "/v1/sdk/responses", { body: sent, headers });
      expectStatus(reply, status);
      equal(reply.headers.get("access-control-allow-origin"), allowedOrigin);
      match(reply.headers.get("vary") ?? "", /\borigin\b/i);
      equal(reply.headers.get("access-control-allow-credentials"), null);
      const exposed = (reply.headers.get("access-control-expose-headers") ?? "").toLowerCase();
      for (const name of ["retry-after", "ratelimit", "ratelimit-policy"])
        ok(exposed.split(/, */).includes(name), `${name} is not exposed`);
    }
  }),
  test("any other origin is 403, and the page cannot read the reply", async (service) => {
    const { first: client, allowedOrigin } = service;
    for (const origin of ["", [allowedOrigin, allowedOrigin], ...lookalikes(allowedOrigin)]) {
      const reply = await client.bootstrap(undefined, { headers: { origin } });
      expectRefusal(reply, 403, "origin_not_allowed", String(origin));
      equal(reply.headers.get("access-control-allow-origin"), null);
    }
    const headers = { origin: allowedOrigin.toUpperCase() };
    expectStatus(await client.bootstrap(undefined, { headers }), 200, "an origin in upper case");
  }),
  test("a request without an origin passes, and an empty list refuses all browsers", async (service) => {
    const { second: client } = service;
    expectStatus(await client.bootstrap(), 200);
    const headers = { origin: "https://app.example" };
    expectRefusal(await client.bootstrap(undefined, { headers }), 403, "origin_not_allowed");
  }),
  test("a preflight is 204 for every origin, without a key, for POST and content-type, and may be cached", async (service) => {
    const { first: client } = service;
    for (const path of [...publicPosts.map(({ path }) => path), "/v1/definitions"]) {
      const headers = { "origin": "https://any.example", "access-control-request-method": "POST" };
      const reply = await client.call("OPTIONS", path, { headers });
      expectStatus(reply, 204);
      expectStatus(await client.call("OPTIONS", path), 204, "no preflight");
      equal(reply.headers.get("access-control-allow-origin"), "https://any.example");
      match(reply.headers.get("access-control-allow-methods") ?? "", /POST|GET/);
      match(reply.headers.get("access-control-allow-headers") ?? "", /content-type/i);
      ok(Number(reply.headers.get("access-control-max-age")) > 0, "no Access-Control-Max-Age");
    }
  }),
  test("a preflight allows the headers that it asks for; content-type for what is no list of header names", async (service) => {
    const { first: client } = service;
    const names = "authorization,baggage,traceparent,x-some_tracer.id";
    for (const path of [...publicPosts.map(({ path }) => path), "/v1/definitions"])
      for (const [asked, allowed] of [
        [names, names.split(",")],
        ["traceparent,no name", ["content-type"]],
        ["x-".padEnd(2049, "a"), ["content-type"]],
      ] as const) {
        const headers = { "origin": "https://any.example", "access-control-request-headers": asked };
        const reply = await client.call("OPTIONS", path, { headers });
        expectStatus(reply, 204);
        const listed = (reply.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(/[ ,]+/);
        for (const name of allowed) ok(listed.includes(name), `${name} is not allowed`);
        ok(names === asked || !listed.some((name) => asked.includes(name)), "allows what is refused");
        match(reply.headers.get("vary") ?? "", /access-control-request-headers/i);
      }
  }),
  test("secret routes know no CORS: OPTIONS is 405", async ({ first: client, newPerson }) => {
    for (const { method, path } of secretRoutes) {
      const headers = { origin: "https://app.example" };
      const preflight = await client.server("OPTIONS", path, { headers });
      expectStatus(preflight, 405);
      const query = { respondentId: newPerson() };
      const reply = await client.server(method, path, {
        query,
        headers,
        ...(method === "POST" && { body: {} }),
      });
      for (const { headers: sent } of [preflight, reply])
        deepEqual(
          [...sent.keys()].filter((name) => name.startsWith("access-control")),
          [],
        );
    }
  }),
]);
