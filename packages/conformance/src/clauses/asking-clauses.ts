import { deepEqual, equal, match, ok } from "node:assert/strict";
import { surveys, words } from "../service/setup.ts";
import { test, under } from "./clause.ts";
import { expectMembers, expectRefusal, expectStatus, padded, time } from "./expectations.ts";

const isActive = ({ status }: { status: string }) => status === "active";
const notSent = new Set(["status", "askAgain", "sampling", "thumbs", ...Object.keys(words)]);

export const bootstrapClauses = under("4.1 `POST /v1/sdk/bootstrap`", [
  test("bootstrap lists the active surveys with their definitions, suppression and tokens", async (client, newPerson) => {
    const { json } = await client.bootstrap(newPerson());
    const sent = new Map(json.surveys.map((survey: { id: string }) => [survey.id, survey]));
    for (const survey of surveys.filter(isActive)) {
      const meant = Object.fromEntries(Object.entries(survey).filter(([name]) => !notSent.has(name)));
      const given = (sent.get(survey.id) ?? {}) as Record<string, unknown>;
      const known = Object.fromEntries(Object.keys(meant).map((name) => [name, given[name]]));
      deepEqual(known, meant, `the definition of ${survey.id} differs from the setup`);
      for (const name of ["askAgain", "sampling"])
        ok(!(name in given), `${survey.id} is sent with its ${name}`);
    }
    equal(sent.has("paused"), false, "a paused survey is listed");
    deepEqual(json.suppression, []);
    for (const id of ["nps", "csat", "ces", "pmf"]) match(json.showTokens[id], /./);
    return `tokens ${json.showTokens.nps.startsWith("st1.") ? "begin with st1." : "of a form of their own"}`;
  }),
  test("bootstrap takes key and userId from the query or the body, and works without a body", async (client, newPerson) => {
    const [key, userId] = [client.keys.publishableKey, newPerson()];
    await client.answer("nps", userId);
    const call = (query: Record<string, string>, body?: unknown) =>
      client.call("POST", "/v1/sdk/bootstrap", { query, body });
    for (const reply of [
      await call({ key, userId }),
      await call({ key, userId }, ""),
      await call({}, { key, userId }),
      await call({ key, userId }, { key, userId }),
      await call({ key, userId }, { userId: null }),
    ]) {
      expectStatus(reply, 200);
      deepEqual(reply.json.suppression, ["nps"]);
    }
  }),
  test("the JSON value null, and traits that break their limits, are 400 for bootstrap", async (client) => {
    const query = { key: client.keys.publishableKey };
    for (const body of ["null", "[]", { traits: [] }, { traits: { a: "x".repeat(33_000) } }])
      expectRefusal(await client.call("POST", "/v1/sdk/bootstrap", { query, body }), 400, "invalid_body");
  }),
  test("GET /v1/definitions answers as bootstrap does, with Referrer-Policy: no-referrer", async (client, newPerson) => {
    const query = { key: client.keys.publishableKey, userId: newPerson() };
    const alias = await client.call("GET", "/v1/definitions", { query });
    const original = await client.call("POST", "/v1/sdk/bootstrap", { query });
    deepEqual(alias.json.surveys, original.json.surveys);
    expectMembers(Object.keys(alias.json.showTokens), Object.keys(original.json.showTokens), "tokens");
    equal(alias.headers.get("referrer-policy"), "no-referrer");
  }),
]);

export const mintClauses = under("4.4 `POST /v1/sdk/tokens`", [
  test("a mint gives a token for each active survey, suppression and the moment of issue", async (client, newPerson) => {
    const respondentId = newPerson();
    await client.answer("csat", respondentId);
    const { status, json } = await client.mint({ respondentId });
    equal(status, 200);
    const asked = Object.keys(json.tokens);
    for (const surveyId of ["nps", "ces", "pmf"]) ok(asked.includes(surveyId), `no token for ${surveyId}`);
    for (const surveyId of ["csat", "paused"]) ok(!asked.includes(surveyId), `a token for ${surveyId}`);
    deepEqual(json.suppression, ["csat"]);
    match(json.issuedAt, time);
    return `tokens ${json.tokens.nps.startsWith("st2.") ? "begin with st2." : "of a form of their own"}`;
  }),
  test("a mint for one survey gives that one alone, and none for an unknown or paused one", async (client, newPerson) => {
    const respondentId = newPerson();
    deepEqual(Object.keys((await client.mint({ respondentId, surveyId: "csat" })).json.tokens), ["csat"]);
    for (const surveyId of ["unknown", "paused", "__proto__"]) {
      const reply = await client.mint({ respondentId, surveyId });
      expectStatus(reply, 200);
      deepEqual(reply.json.tokens, {}, surveyId);
    }
  }),
  test("a mint without respondent or session, or with an empty or too long id or no identifier, is 400", async (client, newPerson, service) => {
    const whole = { respondentId: newPerson(), sessionId: service.newId() };
    const wrong: object[] = [{ respondentId: undefined }, { sessionId: undefined }, { sessionId: "" }];
    for (const name of ["respondentId", "sessionId", "observationId"])
      wrong.push({ [name]: "x".repeat(257) });
    wrong.push({ taskType: "t".repeat(129) }, { respondentId: "a\u0007b" }, { sessionId: "a\ud800" });
    wrong.push({ respondentId: "imp_abc" }, { surveyId: "" });
    for (const fields of wrong)
      expectRefusal(await client.mint({ ...whole, ...fields }), 400, "invalid_body", Object.keys(fields)[0]);
    const longest = { sessionId: padded(service.newId(), "🙂"), observationId: "🙂".repeat(256) };
    expectStatus(await client.mint({ ...whole, ...longest }), 200);
  }),
]);
