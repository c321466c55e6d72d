import { deepEqual, equal, ok } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { expectRefusal, expectStatus } from "./expectations.ts";

export const tokenStateClauses = under("3.1 Show-token", [
  test("a response with a used token is 409 with the record that used it, and nothing is stored", async (service) => {
    const { first: client, newPerson } = service;
    const respondentId = newPerson();
    const showToken = await client.boundToken("nps", { respondentId });
    const first = await client.submit({ showToken, surveyId: "nps", rating: 9 });
    const second = await client.submit({ showToken, surveyId: "nps", rating: 1, text: "again" });
    expectRefusal(second, 409, "token_used");
    const { id, at, kind } = second.json.existing;
    deepEqual({ id, at, kind }, { id: first.json.id, at: first.json.at, kind: "response" });
    const { responses } = (await client.export({ respondentId })).json;
    deepEqual(
      responses.map(({ rating }: { rating: number }) => rating),
      [9],
    );
  }),
  test("a response after a dismissal with the same token is 409 that names the dismissal", async (service) => {
    const { first: client, newPerson } = service;
    const userId = newPerson();
    const showToken = await client.unboundToken("nps", userId);
    const dismissed = await client.dismiss({ showToken, surveyId: "nps", userId });
    const reply = await client.submit({ showToken, surveyId: "nps", rating: 9 });
    expectRefusal(reply, 409, "token_used");
    const { id, at } = dismissed.json;
    deepEqual(reply.json.existing, { id, at, kind: "dismissal" });
    equal((await client.export({ respondentId: userId })).json.count, 0);
  }),
  test("of simultaneous requests with one token exactly one stores a record", async (service) => {
    const { first: client, newPerson } = service;
    const userId = newPerson();
    const showToken = await client.boundToken("nps", { respondentId: userId });
    const answer = { showToken, surveyId: "nps", rating: 5 };
    const requests = Array.from({ length: 64 }, (_, at) => {
      if (at % 4 === 3) return client.dismiss({ showToken, surveyId: "nps", userId });
      return client.submit(answer, at % 2 ? "/v1/responses" : "/v1/sdk/responses");
    });
    const replies = await Promise.all(requests);
    equal(
      new Set(replies.map(({ json }) => json.id ?? json.existing.id)).size,
      1,
      "the replies name several records",
    );
    equal(
      replies.filter(({ status, json }, at) => status === 201 && at % 4 !== 3 && json.ok).length <= 1,
      true,
    );
    const erased = (await client.erase({ respondentId: userId })).json;
    equal(
      erased.responsesDeleted + erased.dismissalsDeleted,
      1,
      "64 requests with one token stored several records",
    );
  }),
  test("two tokens of one respondent for one survey are both good", async ({ first: client, newPerson }) => {
    const userId = newPerson();
    const tokens = [await client.unboundToken("nps", userId), await client.unboundToken("nps", userId)];
    for (const showToken of tokens)
      expectStatus(await client.submit({ showToken, surveyId: "nps", rating: 5 }), 201);
    equal((await client.export({ respondentId: userId })).json.count, 2);
  }),
  test("erasing a record does not make its token usable again: 409 without record, dismissing is 401", async (service) => {
    const { first: client, newPerson } = service;
    const userId = newPerson();
    const { showTokens } = (await client.bootstrap(userId)).json;
    const answer = { showToken: showTokens.nps, surveyId: "nps", rating: 5 };
    const dismissal = { showToken: showTokens.csat, surveyId: "csat", userId };
    await client.submit(answer);
    await client.dismiss(dismissal);
    await client.erase({ respondentId: userId });
    const submitted = await client.submit(answer);
    expectRefusal(submitted, 409, "token_used");
    equal(submitted.json.existing, undefined);
    expectRefusal(await client.dismiss(dismissal), 401, "token_used");
    equal((await client.export({ respondentId: userId })).json.count, 0);
  }),
  test("a request that is refused leaves the token unused", async ({ first: client, newPerson }) => {
    const showToken = await client.boundToken("csat", { respondentId: newPerson() });
    const answer = { showToken, surveyId: "csat", rating: 5 };
    for (const wrong of [
      { rating: 0 },
      { rating: "5" },
      { surveyId: "nps" },
      { sessionId: "other" },
      { key: "x" },
    ])
      ok((await client.submit({ ...answer, ...wrong })).status >= 400);
    expectStatus(await client.submit(answer), 201);
  }),
]);
