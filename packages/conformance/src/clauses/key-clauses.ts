import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type ApiClient, type Call } from "../service/api-client.ts";
import { test, under } from "./clause.ts";
import { secretRoutes } from "./endpoints.ts";
import { expectRefusal, expectStatus, idsOf } from "./expectations.ts";

const bootstrap = (client: ApiClient, call: Call) => client.call("POST", "/v1/sdk/bootstrap", call);
const pending = (client: ApiClient, headers: Record<string, string | string[]>) =>
  client.call("GET", "/v1/sdk/pending-scores", { headers });

export const keyClauses = under("5. Authentication", [
  test("a publishable key that is missing, empty or no string is 400, and any other wrong one 401", async (service) => {
    const { first: client } = service;
    for (const call of [{ body: {} }, { query: { key: "" } }])
      expectRefusal(await bootstrap(client, call), 400, "missing_key");
    for (const key of ["", 1, true, null, {}, []])
      expectRefusal(await bootstrap(client, { body: { key } }), 400, "missing_key");
    for (const key of ["x", "aw_pk_x", `${client.keys.publishableKey}x`, "__proto__"])
      expectRefusal(await bootstrap(client, { query: { key } }), 401, "invalid_key");
  }),
  test("a publishable key may come in the query of a public route", async ({ first: client, newPerson }) => {
    const [query, userId] = [{ key: client.keys.publishableKey }, newPerson()];
    const { nps, csat } = (await client.bootstrap(userId)).json.showTokens;
    const submit = { showToken: nps, surveyId: "nps", rating: 5 };
    const dismissal = { showToken: csat, surveyId: "csat", userId };
    expectStatus(await client.call("POST", "/v1/sdk/responses", { query, body: submit }), 201);
    expectStatus(await client.call("POST", "/v1/dismissals", { query, body: dismissal }), 201);
  }),
  test("a secret key sent as `key` is 401 and never repeated", async ({ first: client }) => {
    const reply = await bootstrap(client, { body: { key: client.keys.secretKey } });
    expectRefusal(reply, 401, "invalid_key");
    ok(!reply.text.includes(client.keys.secretKey), "a refusal repeats the secret key");
  }),
  test("public routes ignore Authorization, and take no publishable key from headers", async (service) => {
    const { first: client, newPerson } = service;
    const headers = { "authorization": "Bearer nonsense", "x-service-key": "aw_sk_nobody" };
    expectStatus(
      await client.bootstrap(newPerson(), { headers, query: { key: client.keys.publishableKey } }),
      200,
    );
    const inHeader = { authorization: `Bearer ${client.keys.publishableKey}` };
    expectStatus(await bootstrap(client, { headers: inHeader }), 400);
  }),
  test("a secret key comes as Bearer in any case or as X-Service-Key, or the same in both", async (service) => {
    const { first: client } = service;
    const { secretKey: key } = client.keys;
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bEARER ${key}` },
      { "x-service-key": key },
      { "authorization": `Bearer ${key}`, "x-service-key": key },
    ] as Record<string, string>[])
      expectStatus(await pending(client, headers), 200, Object.keys(headers).join(" and "));
  }),
  test("no key, a wrong one, another scheme, a key in query or body, or the publishable key is 401 secret_key_required", async (service) => {
    const { first: client } = service;
    const { secretKey, publishableKey } = client.keys;
    const wrong: Record<string, string>[] = [{}, { "x-service-key": "" }, { authorization: secretKey }];
    wrong.push({ authorization: `Bearer ${publishableKey}` }, { "x-service-key": publishableKey });
    for (const value of [`Bearer ${secretKey}x`, `Basic ${secretKey}`, `Bearer ${secretKey} ${secretKey}`])
      wrong.push({ authorization: value });
    for (const headers of wrong) {
      const reply = await pending(client, headers);
      expectRefusal(reply, 401, "secret_key_required", JSON.stringify(Object.keys(headers)));
      match(
        reply.headers.get("www-authenticate") ?? "",
        /^Bearer\b/,
        "a 401 has no WWW-Authenticate: Bearer",
      );
      ok(!reply.text.includes(secretKey), "a refusal repeats the secret key");
    }
    const key = { key: secretKey };
    expectStatus(await client.call("GET", "/v1/sdk/pending-scores", { query: key }), 401);
    expectStatus(await client.call("POST", "/v1/sdk/tokens", { query: key, body: key }), 401);
  }),
  test("if both headers are sent, both must be valid", async ({ first: client }) => {
    const { secretKey: key } = client.keys;
    const bad = "aw_sk_nobody";
    for (const headers of [
      { "authorization": `Bearer ${key}`, "x-service-key": bad },
      { "authorization": `Bearer ${bad}`, "x-service-key": key },
      { authorization: [`Bearer ${key}`, `Bearer ${bad}`] },
    ] as Record<string, string | string[]>[])
      expectRefusal(await pending(client, headers), 401, "secret_key_required");
  }),
  test("keys of two projects in the two headers are 401", async ({ first: client, second }) => {
    const headers = {
      "authorization": `Bearer ${client.keys.secretKey}`,
      "x-service-key": second.keys.secretKey,
    };
    expectRefusal(await pending(client, headers), 401, "secret_key_required");
  }),
  test("every key belongs to one project and gives no access to another's rows", async (service) => {
    const { first: client, second: thief, newPerson } = service;
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
  test("a secret route reveals nothing of the request to a caller without the key", async (service) => {
    const { first: client } = service;
    for (const { method, path } of secretRoutes) {
      const query = { cursor: "nonsense", email: "what", limit: "-1" };
      const reply = await client.call(method, path, {
        query,
        ...(method === "POST" && { body: "{not json" }),
      });
      expectRefusal(reply, 401, "secret_key_required");
    }
  }),
]);

export const scopeClauses = under(
  "5. Authentication",
  [
    test("a secret key that is limited to mint is 401 scope_required elsewhere, also beside a whole key", async (service) => {
      const { first: client, minter, newPerson } = service;
      const respondentId = newPerson();
      expectStatus(await minter.mint({ respondentId }), 200);
      const whole = { authorization: `Bearer ${client.keys.secretKey}` };
      for (const headers of [{}, whole] as Record<string, string>[]) {
        for (const { method, path } of secretRoutes.filter((route) => route.path !== "/v1/sdk/tokens")) {
          const body = method === "POST" ? { results: [{ id: respondentId, state: "failed" }] } : undefined;
          // Whatever a server lets through concerns a respondent of the kit alone.
          const query = path.startsWith("/v1/privacy") ? { respondentId } : undefined;
          expectRefusal(await minter.server(method, path, { headers, query, body }), 401, "scope_required");
        }
      }
    }),
  ],
  "scopes",
);
