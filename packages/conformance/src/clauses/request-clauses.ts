import { deepEqual, equal, ok } from "node:assert/strict";
import { type ApiClient, type Reply } from "../service/api-client.ts";
import { test, under } from "./clause.ts";
import { posts, required } from "./endpoints.ts";
import { expectMembers, expectRefusal, expectStatus } from "./expectations.ts";

const send = (client: ApiClient, path: string, body: unknown, headers: Record<string, string> = {}) =>
  client.server("POST", path, { body, headers });

const elsewhere = [
  "/v1/sdk/bootstrap/",
  "/V1/sdk/bootstrap",
  "/v1/sdk/Bootstrap",
  "/v1//sdk/bootstrap",
  "/v1/sdk/%62ootstrap",
  "/v1%2Fsdk/bootstrap",
  "/v2/sdk/bootstrap",
  "/v1/sdk",
];

/** What a request with all the faults is refused with, and how the first of them is mended. */
type Step = [fault: string, status: number, code: string, mend: () => void];

export const requestClauses = under("4. Endpoints", [
  test("JSON comes as application/json, any +json, text/plain or without a media type", async (client) => {
    const body = JSON.stringify({ key: client.keys.publishableKey });
    for (const type of [
      "application/json",
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "APPLICATION/JSON",
      "application/problem+json",
      "text/plain",
      "text/plain;charset=UTF-8",
    ])
      expectStatus(await send(client, "/v1/sdk/bootstrap", body, { "content-type": type }), 200, type);
    expectStatus(await client.withoutMediaType("/v1/sdk/bootstrap", body), 200, "no media type");
    const identity = { "content-encoding": "identity" };
    expectStatus(await send(client, "/v1/sdk/bootstrap", body, identity), 200, "identity");
    const headers = { "content-type": "text/html" };
    const empty = { query: { key: client.keys.publishableKey }, body: "", headers };
    expectStatus(await client.call("POST", "/v1/sdk/bootstrap", empty), 200, "an empty body");
  }),
  test("another media type, a charset other than UTF-8, or a content encoding is 415", async (client) => {
    const types = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/html"];
    for (const value of [...types, "application/json; charset=utf-16", "gzip"]) {
      const name = value === "gzip" ? "content-encoding" : "content-type";
      const reply = await send(client, "/v1/sdk/bootstrap", '{"key":"x"}', { [name]: value });
      expectRefusal(reply, 415, "unsupported_media_type", value);
    }
  }),
  test("what is not a JSON object is 400 on every route that takes a body", async (client) => {
    for (const { path, invalidBody } of posts)
      for (const body of ["{", "nul", "null", "[]", '"x"', "1", "{}x", "\u0000", "{'a':1}", " ", "\ufeff"])
        expectRefusal(await send(client, path, body), 400, invalidBody!, body);
  }),
  test("bytes that are not UTF-8 are 400; a byte order mark is skipped; of equal keys the last counts", async (client) => {
    const bytes = Buffer.concat([Buffer.from('{"key":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    for (const { path } of posts)
      expectStatus(await send(client, path, bytes), 400, "bytes that are not UTF-8");
    const { publishableKey: key } = client.keys;
    expectStatus(await send(client, "/v1/sdk/bootstrap", `\ufeff{"key":"wrong","key":"${key}"}`), 200);
  }),
  test("an unknown query field is ignored, even twice, but 400 on the privacy routes", async (client, newPerson) => {
    const query = `key=${client.keys.publishableKey}&utm=a;&utm=b&__proto__=1`;
    expectStatus(await client.call("POST", "/v1/sdk/bootstrap", { query }), 200);
    for (const reply of [
      await client.export({ respondentid: "x" }),
      await client.erase({ respondentId: newPerson(), respondentid: "x" }),
      await client.server("GET", "/v1/privacy/export", { query: "email=%ff" }),
      await client.server("GET", "/v1/privacy/export", { query: "surveySlug=a&surveySlug=a" }),
    ])
      expectRefusal(reply, 400, "invalid_selectors");
  }),
  test("a known query field given twice is 400, also with one value, and so is broken percent-encoding", async (client, newPerson) => {
    for (const { method, path, query } of required) {
      // Twice `account` is tried on the disposable project: a server that breaks this rule erases it.
      for (const field of query.filter((one) => one !== "account")) {
        const body = method === "POST" ? {} : undefined;
        const once = `${field}=${newPerson()}`;
        const reply = await client.server(method, path, { query: `${once}&${once}`, body });
        expectStatus(reply, 400, `${field} twice`);
      }
    }
    for (const value of ["%", "%zz", "%ff"])
      for (const [body, code] of Object.entries({ "{}": "invalid_query", '{"userId":1}': "invalid_body" })) {
        const query = `userId=${value}`;
        expectRefusal(await client.call("POST", "/v1/sdk/bootstrap", { query, body }), 400, code, value);
      }
  }),
  test("key or userId that differ between query and body are 400, whichever is good", async (client, newPerson, service) => {
    const { publishableKey: key } = client.keys;
    const [other, userId] = [service.second.keys.publishableKey, newPerson()];
    const at = (query: Record<string, string>, body: object) =>
      client.call("POST", "/v1/sdk/bootstrap", { query, body });
    for (const reply of [
      await at({ key }, { key: other }),
      await at({ key: "aw_pk_wrong" }, { key }),
      await at({ key, userId }, { userId: "another" }),
    ])
      expectRefusal(reply, 400, "invalid_body");
    expectStatus(await at({ key, userId }, { userId }), 200);
  }),
  test("paths are matched exactly: anything beside is 404 route_not_found, and no redirect", async (client) => {
    for (const path of elsewhere) expectStatus(await client.call("POST", path, { body: {} }), 404);
    expectRefusal(await client.call("GET", "/v1/unknown"), 404, "route_not_found");
  }),
  test("a known path with another method is 405 with Allow", async (client) => {
    for (const { path, method, key } of required) {
      const others = ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"].filter((one) => one !== method);
      for (const other of others) {
        const reply = await client.call(other, path);
        expectStatus(reply, 405);
        const allowed: string[] = method === "GET" ? [method, "HEAD"] : [method];
        if (key === "publishable") allowed.push("OPTIONS");
        expectMembers((reply.headers.get("allow") ?? "").split(/, */), allowed, `Allow of ${path}`);
      }
    }
  }),
  test("HEAD works like GET and has no body; TRACE and OPTIONS on secret routes are 405", async (client) => {
    for (const path of ["/v1/sdk/pending-scores", "/v1/privacy/export"]) {
      const reply = await client.server("HEAD", path);
      deepEqual([reply.status, reply.text], [200, ""], path);
      for (const method of ["TRACE", "OPTIONS"]) expectStatus(await client.server(method, path), 405);
    }
  }),
  test("every reply is JSON in UTF-8, never cached and never sniffed", async (client, newPerson) => {
    const userId = newPerson();
    const { nps, csat } = (await client.bootstrap(userId)).json.showTokens;
    const replies: Reply[] = [
      await client.bootstrap(userId),
      await client.call("GET", "/v1/definitions", { query: { key: client.keys.publishableKey } }),
      await client.submit({ showToken: nps, surveyId: "nps", rating: 9 }),
      await client.dismiss({ showToken: csat, surveyId: "csat", userId }),
      await client.mint({ respondentId: userId }),
      await client.pending(),
      await client.ack([{ id: "x", state: "failed" }]),
      await client.export({ respondentId: userId }),
      await client.erase({ respondentId: userId }),
    ];
    for (const reply of replies) {
      ok(reply.status < 300, `${reply.request} replied ${reply.status}`);
      const type = reply.headers.get("content-type")?.toLowerCase();
      equal(type, "application/json; charset=utf-8", reply.request);
    }
    replies.push(
      await client.call("GET", "/v1/unknown"),
      await client.call("POST", "/v1/sdk/tokens", { body: {} }),
    );
    for (const { headers, request } of replies) {
      equal(headers.get("cache-control"), "no-store", `${request} may be cached`);
      equal(headers.get("x-content-type-options"), "nosniff", `${request} may be sniffed`);
    }
  }),
  test("a public request with many faults reports the first of a fixed order", async (client, newPerson, service) => {
    const sessionId = service.newId();
    const mint = () => client.boundToken("csat", { respondentId: newPerson(), sessionId });
    const [used, fresh] = [await mint(), await mint()];
    await client.submit({ showToken: used, surveyId: "csat", rating: 5 });
    const headers = { "origin": "https://evil.example", "content-type": "text/html" };
    const fields: Record<string, unknown> = {
      key: "aw_pk_nobody",
      showToken: "x",
      surveyId: "nope",
      sessionId: "another",
    };
    Object.assign(fields, { rating: "9", padding: "x".repeat(300_000) });
    let end = "";
    const steps: Step[] = [
      ["too large", 413, "payload_too_large", () => delete fields["padding"]],
      ["media type", 415, "unsupported_media_type", () => (headers["content-type"] = "application/json")],
      ["no JSON", 400, "invalid_body", () => (end = "}")],
      ["wrong shape", 400, "invalid_body", () => (fields["rating"] = 9)],
      ["unknown key", 401, "invalid_key", () => (fields["key"] = client.keys.publishableKey)],
      ["origin", 403, "origin_not_allowed", () => (headers.origin = service.allowedOrigin)],
      ["no token", 401, "token_invalid", () => (fields["showToken"] = used)],
      ["used token", 409, "token_used", () => (fields["showToken"] = fresh)],
      ["unknown survey", 404, "survey_not_found", () => (fields["surveyId"] = "nps")],
      ["other survey", 401, "token_invalid", () => (fields["surveyId"] = "csat")],
      ["other session", 401, "token_session_mismatch", () => (fields["sessionId"] = sessionId)],
      ["off the scale", 400, "rating_out_of_range", () => (fields["rating"] = 4)],
    ];
    const submit = () =>
      client.call("POST", "/v1/sdk/responses", { body: JSON.stringify(fields).slice(0, -1) + end, headers });
    for (const [fault, status, code, mend] of steps) {
      expectRefusal(await submit(), status, code, fault);
      mend();
    }
    expectStatus(await submit(), 201);
  }),
]);
