import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { expectRefusal, expectStatus, padded, time } from "./expectations.ts";

export const mintClauses = under("4.4 `POST /v1/sdk/tokens`", [
  test("a mint gives a token for each active survey, suppression and the moment of issue", async (service) => {
    const { first: client, newPerson } = service;
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
  test("a mint for one survey gives that one alone, and none for an unknown or paused one", async (service) => {
    const { first: client, newPerson } = service;
    const respondentId = newPerson();
    deepEqual(Object.keys((await client.mint({ respondentId, surveyId: "csat" })).json.tokens), ["csat"]);
    for (const surveyId of ["unknown", "paused", "__proto__"]) {
      const reply = await client.mint({ respondentId, surveyId });
      expectStatus(reply, 200);
      deepEqual(reply.json.tokens, {}, surveyId);
    }
  }),
  test("a mint without respondent or session, or with an empty or too long id or no identifier, is 400", async (service) => {
    const { first: client, newPerson, newId } = service;
    const whole = { respondentId: newPerson(), sessionId: newId() };
    const wrong: object[] = [{ respondentId: undefined }, { sessionId: undefined }, { sessionId: "" }];
    wrong.push(
      { respondentId: "r".repeat(257) },
      { sessionId: "s".repeat(257) },
      { observationId: "o".repeat(257) },
    );
    wrong.push({ taskType: "t".repeat(129) }, { respondentId: "a\u0007b" }, { sessionId: "a\ud800" });
    wrong.push({ respondentId: "imp_abc" }, { surveyId: "" });
    for (const fields of wrong)
      expectRefusal(await client.mint({ ...whole, ...fields }), 400, "invalid_body", Object.keys(fields)[0]);
    const longest = { sessionId: padded(newId(), "🙂"), observationId: "🙂".repeat(256) };
    expectStatus(await client.mint({ ...whole, ...longest }), 200);
  }),
]);
