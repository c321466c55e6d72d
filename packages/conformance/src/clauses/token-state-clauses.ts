import { deepEqual, equal, ok } from "node:assert/strict";
import { extension, test, under } from "./clause.ts";
import { expectRefusal, expectStatus } from "./expectations.ts";

export const tokenStateClauses = under("3.1 Show-token", [
  test("a response with a used token is 409 with the record that used it, and nothing is stored", async (client, newPerson) => {
    const respondentId = newPerson();
    const showToken = await client.boundToken("nps", { respondentId });
    const first = await client.submit({ showToken, surveyId: "nps", rating: 9 });
    const second = await client.submit({ showToken, surveyId: "nps", rating: 1, text: "again" });
    expectRefusal(second, 409, "token_used");
    const { id, at, kind } = second.json.existing;
    deepEqual({ id, at, kind }, { id: first.json.id, at: first.json.at, kind: "response" });
    const ratings = (await client.rows(respondentId)).map(({ rating }) => rating);
    deepEqual(ratings, [9]);
  }),
  test("a response after a dismissal with the same token is 409 that names the dismissal", async (client, newPerson) => {
    const userId = newPerson();
    const showToken = await client.unboundToken("nps", userId);
    const dismissed = await client.dismiss({ showToken, surveyId: "nps", userId });
    const reply = await client.submit({ showToken, surveyId: "nps", rating: 9 });
    expectRefusal(reply, 409, "token_used");
    const { id, at } = dismissed.json;
    deepEqual(reply.json.existing, { id, at, kind: "dismissal" });
    equal((await client.export({ respondentId: userId })).json.count, 0);
  }),
  test("of simultaneous requests with one token exactly one stores a record", async (client, newPerson) => {
    const userId = newPerson();
    const showToken = await client.boundToken("nps", { respondentId: userId });
    const answer = { showToken, surveyId: "nps", rating: 5 };
    const requests = Array.from({ length: 64 }, (_, at) => {
      if (at % 4 === 3) return client.dismiss({ showToken, surveyId: "nps", userId });
      return client.submit(answer, at % 2 ? "/v1/responses" : "/v1/sdk/responses");
    });
    const replies = await Promise.all(requests);
    const ids = new Set(replies.map(({ json }) => json.id ?? json.existing.id));
    equal(ids.size, 1, "the replies name several records");
    const responses = replies.filter(({ status, json }, at) => status === 201 && at % 4 !== 3 && json.ok);
    ok(responses.length <= 1);
    const { responsesDeleted, dismissalsDeleted } = (await client.erase({ respondentId: userId })).json;
    equal(responsesDeleted + dismissalsDeleted, 1, "64 requests with one token stored several records");
  }),
  test("two tokens of one respondent for one survey are both good", async (client, newPerson) => {
    const userId = newPerson();
    const tokens = [await client.unboundToken("nps", userId), await client.unboundToken("nps", userId)];
    for (const showToken of tokens)
      expectStatus(await client.submit({ showToken, surveyId: "nps", rating: 5 }), 201);
    equal((await client.export({ respondentId: userId })).json.count, 2);
  }),
  test("erasing a record does not make its token usable again: 409 without record, dismissing is 401", async (client, newPerson) => {
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
  test("a request that is refused leaves the token unused", async (client, newPerson) => {
    const showToken = await client.boundToken("csat", { respondentId: newPerson() });
    const answer = { showToken, surveyId: "csat", rating: 5 };
    const shapes = [{ rating: 0 }, { rating: "5" }, { surveyId: "nps" }];
    for (const wrong of [...shapes, { sessionId: "other" }, { key: "x" }])
      ok((await client.submit({ ...answer, ...wrong })).status >= 400);
    expectStatus(await client.submit(answer), 201);
  }),
]);

export const tokenCheckClauses = extension("token-check", "4.10 `POST /v1/sdk/tokens/check`", [
  test("a check says fresh or used and changes nothing; a forged or foreign token is 401 token_invalid", async (client, newPerson, service) => {
    const userId = newPerson();
    const { nps, csat } = (await client.bootstrap(userId)).json.showTokens;
    for (let time = 0; time < 2; time++)
      deepEqual((await client.check(nps)).json, { state: "fresh", surveyId: "nps" });
    expectStatus(await client.submit({ showToken: nps, surveyId: "nps", rating: 5 }), 201);
    await client.dismiss({ showToken: csat, surveyId: "csat", userId });
    for (const token of [nps, csat]) equal((await client.check(token)).json.state, "used");
    const foreign = await service.second.unboundToken("second-nps", userId);
    for (const token of [foreign, `${nps.slice(0, -4)}AAAA`, "x"])
      expectRefusal(await client.check(token), 401, "token_invalid");
    expectRefusal(await client.check(""), 400, "invalid_body");
    const inQuery = { query: { key: client.keys.publishableKey }, body: { showToken: nps } };
    expectStatus(await client.call("POST", "/v1/sdk/tokens/check", inQuery), 200, "a key in the query");
  }),
]);

export const tokenAnswerClauses = extension("token-answers", "4.10 `POST /v1/sdk/tokens/check`", [
  test("a list of 1 to 100 is checked in its order, with the rating of bound tokens until it is erased", async (client, newPerson, service) => {
    const respondentId = newPerson();
    const bound = await client.boundToken("nps", { respondentId });
    const unbound = await client.unboundToken("csat", respondentId);
    const { at } = (await client.submit({ showToken: bound, surveyId: "nps", rating: 0, text: "slow" })).json;
    await client.submit({ showToken: unbound, surveyId: "csat", rating: 5 });
    const rated = { state: "used", surveyId: "nps", answer: { rating: 0, at } };
    deepEqual((await client.check(bound)).json, rated);
    const foreign = await service.second.unboundToken("second-nps", respondentId);
    const list = await client.check({ showTokens: [unbound, foreign, bound, "x"] });
    const [used, unknown] = [{ state: "used", surveyId: "csat" }, { state: "unknown" }];
    deepEqual(list.json, { tokens: [used, unknown, rated, unknown] });
    await client.erase({ respondentId });
    const { tokens } = (await client.check({ showTokens: Array(100).fill(bound) })).json;
    deepEqual([tokens.length, tokens[99]], [100, { state: "used", surveyId: "nps" }]);
    const wrong = [{}, { showToken: bound, showTokens: [bound] }, { showTokens: [""] }, { showTokens: [] }];
    for (const fields of [...wrong, { showTokens: Array(101).fill("x") }])
      expectRefusal(await client.check(fields), 400, "invalid_body", Object.keys(fields).join());
  }),
]);

/** Tokens expire after hours or days, so that a run is given one. */
export const expiredTokenClauses = under("4.2 `POST /v1/sdk/responses`", [
  test("an expired token is 401 token_expired wherever it is used, stores nothing, and a check says so", async (client, newPerson, service) => {
    const { expiredToken: showToken } = service;
    const given = { showToken, surveyId: "nps", userId: newPerson() };
    expectRefusal(await client.submit({ ...given, rating: 4 }), 401, "token_expired");
    expectRefusal(await client.dismiss(given), 401, "token_expired");
    deepEqual((await client.export({ respondentId: given.userId })).json.responses, []);
    const [shown, check] = [await client.shown(showToken), await client.check(showToken)];
    // Both are extensions.
    if (shown.status !== 404) expectRefusal(shown, 401, "token_expired");
    if (check.status !== 404) deepEqual([check.status, check.json?.state], [200, "expired"]);
  }),
]);

export const shownClauses = extension("shown", "4.11 `POST /v1/shown`", [
  test("a report that a survey was shown is 202 and keeps the token fresh; a forged or foreign one is 401", async (client, newPerson, service) => {
    const userId = newPerson();
    const { showTokens, reports } = (await client.bootstrap(userId)).json;
    ok(reports?.includes("shown"), "bootstrap does not list `shown` in `reports`");
    const minted = (await client.mint({ respondentId: userId })).json;
    ok(minted.reports?.includes("shown"), "mint does not list `shown`");
    for (let time = 0; time < 2; time++) {
      const reply = await client.shown(showTokens.nps);
      deepEqual([reply.status, reply.json], [202, { ok: true }]);
    }
    expectStatus(await client.submit({ showToken: showTokens.nps, surveyId: "nps", rating: 5 }), 201);
    expectStatus(await client.shown(showTokens.nps), 202);
    const foreign = await service.second.unboundToken("second-nps", userId);
    for (const token of [foreign, `${showTokens.csat.slice(0, -4)}AAAA`, "x"])
      expectRefusal(await client.shown(token), 401, "token_invalid");
    expectRefusal(await client.shown(""), 400, "invalid_body");
    const inQuery = { query: { key: client.keys.publishableKey }, body: { showToken: showTokens.nps } };
    expectStatus(await client.call("POST", "/v1/shown", inQuery), 202, "a key in the query");
  }),
]);
