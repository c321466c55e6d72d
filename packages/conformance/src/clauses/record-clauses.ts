import { deepEqual, equal, match } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { expectRefusal, expectStatus, time } from "./expectations.ts";

export const responseClauses = under("4.2 `POST /v1/sdk/responses`", [
  test("a response with a valid unused token is 201 with ok, id and time, and suppresses the survey", async (client, newPerson) => {
    const userId = newPerson();
    const showToken = await client.unboundToken("nps", userId);
    const reply = await client.submit({ showToken, surveyId: "nps", rating: 9 });
    expectStatus(reply, 201);
    deepEqual(Object.keys(reply.json).toSorted(), ["at", "id", "ok"]);
    equal(reply.json.ok, true);
    match(reply.json.id, /^.{1,64}$/);
    match(reply.json.at, time);
    deepEqual((await client.bootstrap(userId)).json.suppression, ["nps"]);
    equal((await client.export({ respondentId: userId })).json.responses[0].id, reply.json.id);
  }),
  test("a survey that the project does not have is 404, another one than the token's 401; the token stays unused", async (client, newPerson) => {
    const answer = await client.fresh("nps", newPerson());
    expectRefusal(await client.submit({ ...answer, surveyId: "no-survey" }), 404, "survey_not_found");
    expectRefusal(await client.submit({ ...answer, surveyId: "csat" }), 401, "token_invalid");
    expectStatus(await client.submit(answer), 201);
  }),
  test("the alias POST /v1/responses takes the same requests and shares the tokens", async (client, newPerson) => {
    const answer = await client.fresh("nps", newPerson());
    const stored = await client.submit(answer, "/v1/responses");
    expectStatus(stored, 201);
    const again = await client.submit(answer);
    expectRefusal(again, 409, "token_used");
    equal(again.json.existing.id, stored.json.id);
  }),
]);

export const dismissalClauses = under("4.3 `POST /v1/dismissals`", [
  test("a dismissal is 201 with ok, id and time, and suppresses the survey", async (client, newPerson) => {
    const userId = newPerson();
    const showToken = await client.unboundToken("nps", userId);
    const reply = await client.dismiss({ showToken, surveyId: "nps", userId });
    expectStatus(reply, 201);
    equal(reply.json.ok, true);
    match(reply.json.id, /^.{1,64}$/);
    match(reply.json.at, time);
    const again = (await client.bootstrap(userId)).json;
    deepEqual([again.suppression, again.showTokens.nps], [["nps"], undefined]);
  }),
  test("the same dismissal again is 201 with the first id and time, and nothing new is stored", async (client, newPerson, service) => {
    const userId = newPerson();
    const dismissal = { showToken: await client.unboundToken("nps", userId), surveyId: "nps", userId };
    const first = await client.dismiss(dismissal);
    await service.wait(5);
    for (const again of [dismissal, { ...dismissal, surveyId: "csat", userId: newPerson() }]) {
      const second = await client.dismiss(again);
      deepEqual([second.status, second.json], [201, first.json]);
    }
    equal((await client.erase({ respondentId: userId })).json.dismissalsDeleted, 1);
  }),
  test("a dismissal with a token that a response has used is 401 token_used", async (client, newPerson) => {
    const userId = newPerson();
    const showToken = await client.unboundToken("nps", userId);
    const { id, at } = (await client.submit({ showToken, surveyId: "nps", rating: 5 })).json;
    const refused = await client.dismiss({ showToken, surveyId: "nps", userId });
    expectRefusal(refused, 401, "token_used");
    deepEqual(refused.json.existing, { id, at, kind: "response" });
    equal((await client.erase({ respondentId: userId })).json.dismissalsDeleted, 0);
  }),
  test("a dismissal of a survey that the project does not have is 404, and the token stays unused", async (client, newPerson) => {
    const userId = newPerson();
    const showToken = await client.unboundToken("nps", userId);
    const reply = await client.dismiss({ showToken, surveyId: "no-survey", userId });
    expectRefusal(reply, 404, "survey_not_found");
    expectStatus(await client.dismiss({ showToken, surveyId: "nps", userId }), 201);
  }),
  test("a dismissal needs a userId, a token and a survey", async (client, newPerson) => {
    const userId = newPerson();
    const whole = { showToken: await client.unboundToken("nps", userId), surveyId: "nps", userId };
    for (const name of ["showToken", "surveyId", "userId"]) {
      for (const value of [undefined, "", 1])
        expectRefusal(await client.dismiss({ ...whole, [name]: value }), 400, "invalid_body", name);
    }
    expectRefusal(await client.dismiss({ ...whole, userId: "imp_abc" }), 400, "invalid_body", "imp_");
  }),
]);
