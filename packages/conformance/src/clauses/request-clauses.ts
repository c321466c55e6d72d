import { deepEqual } from "node:assert/strict";
import { type ApiClient } from "../service/api-client.ts";
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

export const requestClauses = under("4. Endpoints", [
  test("JSON comes as application/json, any +json, text/plain or without a media type", async (service) => {
    const { first: client } = service;
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
    const empty = {
      query: { key: client.keys.publishableKey },
      body: "",
      headers: { "content-type": "text/html" },
    };
    expectStatus(await client.call("POST", "/v1/sdk/bootstrap", empty), 200, "an empty body");
  }),
  test("another media type, a charset other than UTF-8, or a content encoding is 415", async (service) => {
    const { first: client } = service;
    const wrong = [
      ["content-type", "application/x-www-form-urlencoded"],
      ["content-type", "multipart/form-data; boundary=x"],
      ["content-type", "text/html"],
      ["content-type", "application/json; charset=utf-16"],
      ["content-encoding", "gzip"],
    ] as const;
    for (const [name, value] of wrong) {
      const reply = await send(client, "/v1/sdk/bootstrap", '{"key":"x"}', { [name]: value });
      expectRefusal(reply, 415, "unsupported_media_type", value);
    }
  }),
  test("what is not a JSON object is 400 on every route that takes a body", async ({ first: client }) => {
    for (const { path, invalidBody } of posts)
      for (const body of ["{", "nul", "null", "[]", '"x"', "1", "{}x", "\u0000", "{'a':1}", " ", "\ufeff"])
        expectRefusal(await send(client, path, body), 400, invalidBody!, body);
  }),
  test("bytes that are not UTF-8 are 400; a byte order mark is skipped; of equal keys the last counts", async (service) => {
    const { first: client } = service;
    const bytes = Buffer.concat([Buffer.from('{"key":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    for (const { path } of posts)
      expectStatus(await send(client, path, bytes), 400, "bytes that are not UTF-8");
    const { publishableKey: key } = client.keys;
    expectStatus(await send(client, "/v1/sdk/bootstrap", `\ufeff{"key":"wrong","key":"${key}"}`), 200);
  }),
  test("an unknown query field is ignored, even twice, but 400 on the privacy routes", async (service) => {
    const { first: client, newPerson } = service;
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
  test("a known query field given twice is 400, also with one value, and so is broken percent-encoding", async (service) => {
    const { first: client, newPerson } = service;
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
      for (const [body, code] of [
        ["{}", "invalid_query"],
        ['{"userId":1}', "invalid_body"],
      ] as const)
        expectRefusal(
          await client.call("POST", "/v1/sdk/bootstrap", { query: `userId=${value}`, body }),
          400,
          code,
          value,
        );
  }),
  test("key or userId that differ between query and body are 400, whichever is good", async (service) => {
    const { first: client, second, newPerson } = service;
    const [key, other, userId] = [client.keys.publishableKey, second.keys.publishableKey, newPerson()];
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
  test("paths are matched exactly: anything beside is 404 route_not_found, and no redirect", async (service) => {
    const { first: client } = service;
    for (const path of elsewhere) expectStatus(await client.call("POST", path, { body: {} }), 404);
    expectRefusal(await client.call("GET", "/v1/unknown"), 404, "route_not_found");
  }),
  test("a known path with another method is 405 with Allow", async ({ first: client }) => {
    for (const { path, method, key } of required) {
      for (const other of ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"].filter(
        (one) => one !== method,
      )) {
        const reply = await client.call(other, path);
        expectStatus(reply, 405);
        const allowed = [
          method,
          ...(method === "GET" ? ["HEAD"] : []),
          ...(key === "publishable" ? ["OPTIONS"] : []),
        ];
        expectMembers((reply.headers.get("allow") ?? "").split(/, */), allowed, `Allow of ${path}`);
      }
    }
  }),
  test("HEAD works like GET and has no body; TRACE and OPTIONS on secret routes are 405", async (service) => {
    const { first: client } = service;
    for (const path of ["/v1/sdk/pending-scores", "/v1/privacy/export"]) {
      const reply = await client.server("HEAD", path);
      deepEqual([reply.status, reply.text], [200, ""], path);
      for (const method of ["TRACE", "OPTIONS"]) expectStatus(await client.server(method, path), 405);
    }
  }),
]);
