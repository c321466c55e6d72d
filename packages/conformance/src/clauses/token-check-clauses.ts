import { deepEqual, equal, ok } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { expectRefusal, expectStatus } from "./expectations.ts";

export const tokenCheckClauses = under(
  "4.10 `POST /v1/sdk/tokens/check`",
  [
    test("a check says fresh or used and changes nothing; a forged or foreign token is 401 token_invalid", async (service) => {
      const { first: client, second, newPerson } = service;
      const userId = newPerson();
      const { nps, csat } = (await client.bootstrap(userId)).json.showTokens;
      for (let time = 0; time < 2; time++)
        deepEqual((await client.check(nps)).json, { state: "fresh", surveyId: "nps" });
      expectStatus(await client.submit({ showToken: nps, surveyId: "nps", rating: 5 }), 201);
      await client.dismiss({ showToken: csat, surveyId: "csat", userId });
      for (const token of [nps, csat]) equal((await client.check(token)).json.state, "used");
      const foreign = await second.unboundToken("second-nps", userId);
      for (const token of [foreign, `${nps.slice(0, -4)}AAAA`, "x"])
        expectRefusal(await client.check(token), 401, "token_invalid");
      expectRefusal(await client.check(""), 400, "invalid_body");
      const inQuery = { query: { key: client.keys.publishableKey }, body: { showToken: nps } };
      expectStatus(await client.call("POST", "/v1/sdk/tokens/check", inQuery), 200, "a key in the query");
    }),
  ],
  "token-check",
);

/** Tokens expire after hours or days, so that a run is given one. */
export const expiredTokenClauses = under("4.2 `POST /v1/sdk/responses`", [
  test("an expired token is 401 token_expired wherever it is used, stores nothing, and a check says so", async (service) => {
    const { first: client, expiredToken: showToken, newPerson } = service;
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

export const shownClauses = under(
  "4.11 `POST /v1/shown`",
  [
    test("a report that a survey was shown is 202 and keeps the token fresh; a forged or foreign one is 401", async (service) => {
      const { first: client, second, newPerson } = service;
      const userId = newPerson();
      const { showTokens, reports } = (await client.bootstrap(userId)).json;
      ok(reports?.includes("shown"), "bootstrap does not list `shown` in `reports`");
      ok(
        (await client.mint({ respondentId: userId })).json.reports?.includes("shown"),
        "mint does not list `shown`",
      );
      for (let time = 0; time < 2; time++) {
        const reply = await client.shown(showTokens.nps);
        deepEqual([reply.status, reply.json], [202, { ok: true }]);
      }
      expectStatus(await client.submit({ showToken: showTokens.nps, surveyId: "nps", rating: 5 }), 201);
      expectStatus(await client.shown(showTokens.nps), 202);
      const foreign = await second.unboundToken("second-nps", userId);
      for (const token of [foreign, `${showTokens.csat.slice(0, -4)}AAAA`, "x"])
        expectRefusal(await client.shown(token), 401, "token_invalid");
      expectRefusal(await client.shown(""), 400, "invalid_body");
      const inQuery = { query: { key: client.keys.publishableKey }, body: { showToken: showTokens.nps } };
      expectStatus(await client.call("POST", "/v1/shown", inQuery), 202, "a key in the query");
    }),
  ],
  "shown",
);
