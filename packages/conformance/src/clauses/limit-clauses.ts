import { deepEqual, equal, match, ok } from "node:assert/strict";
import { extension, test, under } from "./clause.ts";
import { endpoints, posts, required } from "./endpoints.ts";
import { expectRefusal, expectStatus } from "./expectations.ts";

const quotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded";
const pointers = /^(\/|#|$)/;

export const problemClauses = under("7. Errors", [
  test("a refusal is application/problem+json with type, title, status and code", async (client, newPerson) => {
    const showToken = await client.unboundToken("nps", newPerson());
    const refusals = [
      await client.submit({ showToken, surveyId: "nps", rating: 99 }),
      await client.submit({ showToken: "x", surveyId: "nps", rating: 9 }),
      await client.call("GET", "/v1/unknown"),
      await client.call("GET", "/v1/sdk/pending-scores"),
    ];
    for (const { status, headers, json, request } of refusals) {
      match(headers.get("content-type") ?? "", /^application\/problem\+json(;|$)/, request);
      deepEqual([json.type, json.status], ["about:blank", status]);
      deepEqual([typeof json.title, typeof json.code], ["string", "string"]);
      for (const name of ["detail", "instance"]) ok(["undefined", "string"].includes(typeof json[name]));
      for (const { pointer, code } of json.errors ?? [])
        ok(pointers.test(pointer) && typeof code === "string");
    }
    const isSent = (name: string) => refusals.some(({ json }) => name in json);
    const parts = ["detail", "instance", "errors"].filter(isSent);
    return `optional fields of refusals: ${parts.join(", ") || "none"}`;
  }),
  test("no field of a refusal repeats what was sent", async (client) => {
    const canary = "canary-7f3a";
    const fields = { showToken: canary, surveyId: canary, rating: 5, text: canary, userId: canary };
    for (const reply of [
      await client.submit(fields),
      await client.submit({ ...fields, rating: canary }),
      await client.submit({ ...fields, sessionId: `${canary}\u0001` }),
      await client.call("POST", "/v1/sdk/bootstrap", { query: { key: canary } }),
      await client.call("POST", "/v1/sdk/responses", { body: `{"${canary}` }),
      await client.export({ [canary]: canary }),
      await client.pending({ cursor: canary }),
      await client.call("GET", `/${canary}`),
    ]) {
      ok(reply.status >= 400, `${reply.request} replied ${reply.status}`);
      ok(!reply.text.includes(canary), `a refusal of ${reply.request} repeats what was sent`);
    }
  }),
]);

const bombs = [
  "[".repeat(100_000),
  '{"a":'.repeat(40_000) + "1" + "}".repeat(40_000),
  `{"traits":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`,
  `{"rating":${"9".repeat(200_000)}}`,
  '{"rating":1e999999999}',
  '{"__proto__":{"showToken":"x","surveyId":"y","rating":1,"key":"z"}}',
  '{"\\ud800":1}',
];

export const bodyLimitClauses = under("8. Limits", [
  test("each route takes the largest legal body and refuses one more byte with 413", async (client) => {
    const padded = (length: number) => `{"pad":"${"x".repeat(length - 10)}"}`;
    for (const { path, bodyLimit = 0 } of posts) {
      const send = (length: number) => client.server("POST", path, { body: padded(length) });
      ok((await send(bodyLimit * 1024)).status !== 413, `POST ${path} refuses a body of ${bodyLimit} KiB`);
      expectRefusal(await send(bodyLimit * 1024 + 1), 413, "payload_too_large");
    }
  }),
  test("deep, long and hostile JSON is refused with 4xx on every route", async (client) => {
    for (const { path } of posts)
      for (const body of bombs) {
        const { status } = await client.server("POST", path, { body });
        ok(status >= 400 && status < 500, `POST ${path} replied ${status} to ${body.slice(0, 12)}…`);
      }
  }),
]);

export const rateClauses = extension("rate-limits", "8. Limits", [
  test("a reply of a limited route carries RateLimit-Policy and RateLimit, and privacy routes carry none", async (client, newPerson) => {
    const respondentId = newPerson();
    for (const { headers, request } of [
      await client.bootstrap(respondentId),
      await client.mint({ respondentId }),
      await client.pending(),
    ]) {
      match(headers.get("ratelimit-policy") ?? "", /"[^"]+";.*q=\d+/, `${request} has no RateLimit-Policy`);
      match(headers.get("ratelimit") ?? "", /"[^"]+";.*r=\d+/, `${request} has no RateLimit`);
    }
    for (const { headers } of [
      await client.export({ respondentId }),
      await client.erase({ respondentId }),
      await client.call("GET", "/openapi.yaml"),
    ])
      equal(headers.get("ratelimit"), null);
  }),
  test("beyond a limit a request is 429 rate_limited with Retry-After, changes nothing, and is taken later", async (first, newPerson, service) => {
    const id = await first.answer("nps", newPerson());
    const ack = () => service.impatient.ack([{ id: "unknown", state: "failed" }]);
    let replies = await Promise.all(Array.from({ length: 50 }, ack));
    for (let rounds = 0; rounds < 40 && replies.every(({ status }) => status === 200); rounds++)
      replies = await Promise.all(Array.from({ length: 50 }, ack));
    const refused = replies.find(({ status }) => status !== 200);
    ok(refused, "2,000 acknowledgements at once met no limit: declare `--without rate-limits`");
    expectRefusal(refused, 429, "rate_limited");
    equal(refused.json.type, quotaExceeded);
    ok(Array.isArray(refused.json["violated-policies"]), "a 429 names no violated policy");
    const seconds = Number(refused.headers.get("retry-after"));
    ok(seconds >= 1, "a 429 has no Retry-After in seconds");
    const late = await service.impatient.ack([{ id, state: "delivered" }]);
    await service.wait(seconds * 1000);
    expectStatus(await ack(), 200, "after Retry-After");
    if (late.status !== 429) return;
    const { updated } = (await first.ack([{ id, state: "delivered" }])).json;
    equal(updated, 1, "a refused request has changed a score");
  }),
]);

export const versionClauses = under("9. Versions", [
  test("openapi.yaml describes this interface to everyone: OpenAPI 3.1, version 0.1, with every endpoint", async (client) => {
    const reply = await client.call("GET", "/openapi.yaml", { headers: { origin: "https://any.example" } });
    expectStatus(reply, 200);
    match(reply.headers.get("content-type") ?? "", /^application\/yaml\b/);
    match(reply.headers.get("access-control-allow-origin") ?? "", /^(\*|https:\/\/any\.example)$/);
    match(reply.text, /openapi:\s*["']?3\.1/);
    match(reply.text, /version:\s*["']?0\.1["']?/);
    for (const { path } of required)
      ok(reply.text.includes(`${path}:`), `openapi.yaml does not describe ${path}`);
    const offered = endpoints.filter(({ path, extension }) => extension && reply.text.includes(`${path}:`));
    return `describes the extensions ${offered.map(({ path }) => path).join(", ") || "of no endpoint"}`;
  }),
]);
