import { deepEqual, equal, match } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { expectRefusal, expectStatus, time } from "./expectations.ts";

export const responseClauses = under("4.2 `POST /v1/sdk/responses`", [
  test("a response with a valid unused token is 201 with ok, id and time, and suppresses the survey", async (service) => {
    const { first: client, newPerson } = service;
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
  test("a survey that the project does not have is 404, and the token stays unused", async (service) => {
    const { first: client, newPerson } = service;
    const showToken = await client.unboundToken("nps", newPerson());
    const submitted = await client.submit({ showToken, surveyId: "no-survey", rating: 5 });
    expectRefusal(submitted, 404, "survey_not_found");
    expectStatus(await client.submit({ showToken, surveyId: "nps", rating: 5 }), 201);
  }),
  test("a token for another survey of the project is 401 token_invalid and stays unused", async (service) => {
    const { first: client, newPerson } = service;
    const showToken = await client.unboundToken("nps", newPerson());
    const other = await client.submit({ showToken, surveyId: "csat", rating: 5 });
    expectRefusal(other, 401, "token_invalid");
    expectStatus(await client.submit({ showToken, surveyId: "nps", rating: 5 }), 201);
  }),
  test("the alias POST /v1/responses takes the same requests and shares the tokens", async (service) => {
    const { first: client, newPerson } = service;
    const showToken = await client.unboundToken("nps", newPerson());
    const answer = { showToken, surveyId: "nps", rating: 5 };
    const stored = await client.submit(answer, "/v1/responses");
    expectStatus(stored, 201);
    const again = await client.submit(answer);
    expectRefusal(again, 409, "token_used");
    equal(again.json.existing.id, stored.json.id);
  }),
]);
