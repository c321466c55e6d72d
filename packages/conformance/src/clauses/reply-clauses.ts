import { equal, ok } from "node:assert/strict";
import { type Reply } from "../service/api-client.ts";
import { test, under } from "./clause.ts";
import { expectRefusal, expectStatus } from "./expectations.ts";

export const replyClauses = under("4. Endpoints", [
  test("every reply is JSON in UTF-8, never cached and never sniffed", async (service) => {
    const { first: client, newPerson } = service;
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
      equal(
        reply.headers.get("content-type")?.toLowerCase(),
        "application/json; charset=utf-8",
        reply.request,
      );
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
]);

/** What a request with all the faults is refused with, and how the first of them is mended. */
type Step = [fault: string, status: number, code: string, mend: () => void];

export const orderClauses = under("4. Endpoints", [
  test("a public request with many faults reports the first of a fixed order", async (service) => {
    const { first: client, allowedOrigin, newPerson, newId } = service;
    const sessionId = newId();
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
      ["origin", 403, "origin_not_allowed", () => (headers.origin = allowedOrigin)],
      ["no token", 401, "token_invalid", () => (fields["showToken"] = used)],
      ["used token", 409, "token_used", () => (fields["showToken"] = fresh)],
      ["unknown survey", 404, "survey_not_found", () => (fields["surveyId"] = "nps")],
      ["other survey", 401, "token_invalid", () => (fields["surveyId"] = "csat")],
      ["other session", 401, "token_session_mismatch", () => (fields["sessionId"] = sessionId)],
      ["off the scale", 400, "rating_out_of_range", () => (fields["rating"] = 4)],
    ];
    const submit = () =>
      client.call("POST", "/v1/sdk/responses", {
        body: JSON.stringify(fields).slice(0, -1) + end,
        headers,
      });
    for (const [fault, status, code, mend] of steps) {
      expectRefusal(await submit(), status, code, fault);
      mend();
    }
    expectStatus(await submit(), 201);
  }),
  test("a secret route reports the key before size and shape", async ({ first: client }) => {
    const mint = (secretKey: string, body: string) =>
      client.call("POST", "/v1/sdk/tokens", { body, headers: { "x-service-key": secretKey } });
    const tooLarge = "x".repeat(40_000);
    expectRefusal(await mint("aw_sk_nobody", tooLarge), 401, "secret_key_required");
    expectRefusal(await mint(client.keys.secretKey, tooLarge), 413, "payload_too_large");
    expectRefusal(await mint(client.keys.secretKey, "x"), 400, "invalid_body");
  }),
]);
