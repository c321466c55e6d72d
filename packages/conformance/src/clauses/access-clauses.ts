import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type ApiClient, type Call } from "../service/api-client.ts";
import { extension, test, under } from "./clause.ts";
import { publicPosts, secretRoutes } from "./endpoints.ts";
import { expectRefusal, expectStatus, idsOf } from "./expectations.ts";

const bootstrap = (client: ApiClient, call: Call) => client.call("POST", "/v1/sdk/bootstrap", call);
const pending = (client: ApiClient, headers: Record<string, string | string[]>) =>
  client.call("GET", "/v1/sdk/pending-scores", { headers });

export const keyClauses = under("5. Authentication", [
  test("a publishable key that is missing, empty or no string is 400, and any other wrong one 401", async (client) => {
    for (const call of [{ body: {} }, { query: { key: "" } }])
      expectRefusal(await bootstrap(client, call), 400, "missing_key");
    for (const key of ["", 1, true, null, {}, []])
      expectRefusal(await bootstrap(client, { body: { key } }), 400, "missing_key");
    for (const key of ["x", "aw_pk_x", `${client.keys.publishableKey}x`, "__proto__"])
      expectRefusal(await bootstrap(client, { query: { key } }), 401, "invalid_key");
  }),
  test("a publishable key may come in the query of a public route", async (client, newPerson) => {
    const [query, userId] = [{ key: client.keys.publishableKey }, newPerson()];
    const { nps, csat } = (await client.bootstrap(userId)).json.showTokens;
    const submit = { showToken: nps, surveyId: "nps", rating: 5 };
    const dismissal = { showToken: csat, surveyId: "csat", userId };
    expectStatus(await client.call("POST", "/v1/sdk/responses", { query, body: submit }), 201);
    expectStatus(await client.call("POST", "/v1/dismissals", { query, body: dismissal }), 201);
  }),
  test("a secret key sent as `key` is 401 and never repeated", async (client) => {
    const reply = await bootstrap(client, { body: { key: client.keys.secretKey } });
    expectRefusal(reply, 401, "invalid_key");
    ok(!reply.text.includes(client.keys.secretKey), "a refusal repeats the secret key");
  }),
  test("public routes ignore Authorization, and take no publishable key from headers", async (client, newPerson) => {
    const headers = { "authorization": "Bearer nonsense", "x-service-key": "aw_sk_nobody" };
    const query = { key: client.keys.publishableKey };
    expectStatus(await client.bootstrap(newPerson(), { headers, query }), 200);
    const inHeader = { authorization: `Bearer ${client.keys.publishableKey}` };
    expectStatus(await bootstrap(client, { headers: inHeader }), 400);
  }),
  test("a secret key comes as Bearer in any case or as X-Service-Key, or the same in both", async (client) => {
    const { secretKey: key } = client.keys;
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bEARER ${key}` },
      { "x-service-key": key },
      { "authorization": `Bearer ${key}`, "x-service-key": key },
    ] as Record<string, string>[])
      expectStatus(await pending(client, headers), 200, Object.keys(headers).join(" and "));
  }),
  test("no key, a wrong one, another scheme, a key in query or body, or the publishable key is 401 secret_key_required", async (client) => {
    const { secretKey, publishableKey } = client.keys;
    const wrong: Record<string, string>[] = [{}, { "x-service-key": "" }, { authorization: secretKey }];
    wrong.push({ authorization: `Bearer ${publishableKey}` }, { "x-service-key": publishableKey });
    for (const value of [`Bearer ${secretKey}x`, `Basic ${secretKey}`, `Bearer ${secretKey} ${secretKey}`])
      wrong.push({ authorization: value });
    for (const headers of wrong) {
      const reply = await pending(client, headers);
      expectRefusal(reply, 401, "secret_key_required", JSON.stringify(Object.keys(headers)));
      const scheme = reply.headers.get("www-authenticate") ?? "";
      match(scheme, /^Bearer\b/, "a 401 has no WWW-Authenticate: Bearer");
      ok(!reply.text.includes(secretKey), "a refusal repeats the secret key");
    }
    const key = { key: secretKey };
    expectStatus(await client.call("GET", "/v1/sdk/pending-scores", { query: key }), 401);
    expectStatus(await client.call("POST", "/v1/sdk/tokens", { query: key, body: key }), 401);
  }),
  test("if both headers are sent, both must be valid", async (client) => {
    const { secretKey: key } = client.keys;
    const bad = "aw_sk_nobody";
    for (const headers of [
      { "authorization": `Bearer ${key}`, "x-service-key": bad },
      { "authorization": `Bearer ${bad}`, "x-service-key": key },
      { authorization: [`Bearer ${key}`, `Bearer ${bad}`] },
    ] as Record<string, string | string[]>[])
      expectRefusal(await pending(client, headers), 401, "secret_key_required");
  }),
  test("keys of two projects in the two headers are 401", async (client, _newPerson, { second }) => {
    const authorization = `Bearer ${client.keys.secretKey}`;
    const reply = await pending(client, { authorization, "x-service-key": second.keys.secretKey });
    expectRefusal(reply, 401, "secret_key_required");
  }),
  test("every key belongs to one project and gives no access to another's rows", async (client, newPerson, service) => {
    const { second: thief } = service;
    const respondentId = newPerson();
    const id = await client.answer("nps", respondentId);
    equal((await thief.export({ respondentId })).json.count, 0);
    equal(idsOf((await thief.export()).json.responses).includes(id), false);
    equal((await thief.erase({ respondentId })).json.responsesDeleted, 0);
    deepEqual((await thief.bootstrap(respondentId)).json.suppression, []);
    deepEqual((await thief.mint({ respondentId, surveyId: "nps" })).json.tokens, {});
    const surveyIds = idsOf((await thief.bootstrap()).json.surveys);
    equal(surveyIds.includes("nps"), false, "a project's surveys are listed to another");
    equal((await client.export({ respondentId })).json.count, 1);
  }),
  test("a secret route reveals nothing of the request to a caller without the key", async (client) => {
    for (const { method, path } of secretRoutes) {
      const query = { cursor: "nonsense", email: "what", limit: "-1" };
      // More than the smallest limit of a body.
      const body = method === "POST" ? "{not json".padEnd(40_000) : undefined;
      const reply = await client.call(method, path, { query, body });
      expectRefusal(reply, 401, "secret_key_required");
    }
  }),
]);

export const scopeClauses = extension("scopes", "5. Authentication", [
  test("a secret key that is limited to mint is 401 scope_required elsewhere, also beside a whole key", async (client, newPerson, service) => {
    const respondentId = newPerson();
    expectStatus(await service.minter.mint({ respondentId }), 200);
    const whole = { authorization: `Bearer ${client.keys.secretKey}` };
    for (const headers of [{}, whole] as Record<string, string>[]) {
      for (const { method, path } of secretRoutes.filter((route) => route.path !== "/v1/sdk/tokens")) {
        const body = method === "POST" ? { results: [{ id: respondentId, state: "failed" }] } : undefined;
        // Whatever a server lets through concerns a respondent of the kit alone.
        const query = path.startsWith("/v1/privacy") ? { respondentId } : undefined;
        const reply = await service.minter.server(method, path, { headers, query, body });
        expectRefusal(reply, 401, "scope_required");
      }
    }
  }),
]);

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
  test("an allowed origin is echoed, with Vary and the exposed headers, and without credentials", async (client, newPerson, service) => {
    const headers = { origin: service.allowedOrigin };
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
      equal(reply.headers.get("access-control-allow-origin"), service.allowedOrigin);
      match(reply.headers.get("vary") ?? "", /\borigin\b/i);
      equal(reply.headers.get("access-control-allow-credentials"), null);
      const exposed = (reply.headers.get("access-control-expose-headers") ?? "").toLowerCase();
      for (const name of ["retry-after", "ratelimit", "ratelimit-policy"])
        ok(exposed.split(/, */).includes(name), `${name} is not exposed`);
    }
  }),
  test("any other origin is 403, and the page cannot read the reply", async (client, _newPerson, service) => {
    const { allowedOrigin } = service;
    for (const origin of ["", [allowedOrigin, allowedOrigin], ...lookalikes(allowedOrigin)]) {
      const reply = await client.bootstrap(undefined, { headers: { origin } });
      expectRefusal(reply, 403, "origin_not_allowed", String(origin));
      equal(reply.headers.get("access-control-allow-origin"), null);
    }
    const headers = { origin: allowedOrigin.toUpperCase() };
    expectStatus(await client.bootstrap(undefined, { headers }), 200, "an origin in upper case");
  }),
  test("a request without an origin passes, and an empty list refuses all browsers", async (_client, _newPerson, service) => {
    const { second: client } = service;
    expectStatus(await client.bootstrap(), 200);
    const headers = { origin: "https://app.example" };
    expectRefusal(await client.bootstrap(undefined, { headers }), 403, "origin_not_allowed");
  }),
  test("a preflight is 204 for every origin, without a key, for POST and content-type, and may be cached", async (client) => {
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
  test("a preflight allows the headers that it asks for; content-type for what is no list of header names", async (client) => {
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
  test("secret routes know no CORS: OPTIONS is 405", async (client, newPerson) => {
    for (const { method, path } of secretRoutes) {
      const headers = { origin: "https://app.example" };
      const preflight = await client.server("OPTIONS", path, { headers });
      expectStatus(preflight, 405);
      const query = { respondentId: newPerson() };
      const body = method === "POST" ? {} : undefined;
      const reply = await client.server(method, path, { query, headers, body });
      for (const { headers: sent } of [preflight, reply])
        ok(![...sent.keys()].some((name) => name.startsWith("access-control")), "a secret route has CORS");
    }
  }),
]);
