import { deepEqual, ok } from "node:assert/strict";
import { type ApiClient } from "../service/api-client.ts";
import { quietPeriodInMs } from "../service/setup.ts";
import { test, under } from "./clause.ts";
import { expectStatus } from "./expectations.ts";

/** Which of these surveys bootstrap and mint give a person tokens for; the two must agree. */
export async function askable(client: ApiClient, userId: string, among: string[]): Promise<string[]> {
  const [page, mint] = [await client.bootstrap(userId), await client.mint({ respondentId: userId })];
  expectStatus(page, 200);
  expectStatus(mint, 200);
  const unbound = among.filter((surveyId) => surveyId in (page.json.showTokens ?? {}));
  const bound = among.filter((surveyId) => surveyId in mint.json.tokens);
  deepEqual(bound, unbound, "bootstrap and mint give tokens for different surveys");
  for (const { suppression } of [page.json, mint.json])
    for (const surveyId of suppression)
      ok(!bound.includes(surveyId), `${surveyId} is suppressed and has a token`);
  return bound;
}

export const gatingClauses = under("1. Purpose", [
  test("quiet period and monthly cap withhold tokens, from responses and dismissals alike", async (service) => {
    const { second: client, newPerson, wait } = service;
    const userId = newPerson();
    const all = ["second-csat", "second-nps"];
    const asked = () => askable(client, userId, all);
    for (let views = 0; views < 4; views++) deepEqual(await asked(), all, "tokens that were issued count");
    await client.answer("second-nps", userId);
    deepEqual(await asked(), [], "a token in the quiet period after a response");
    await wait(quietPeriodInMs + 100);
    deepEqual(await asked(), ["second-csat"], "no token after the quiet period");
    const showToken = await client.unboundToken("second-csat", userId);
    await client.dismiss({ showToken, surveyId: "second-csat", userId });
    await wait(quietPeriodInMs + 100);
    deepEqual(await asked(), [], "a token beyond the monthly cap of two");
  }),
  test("a submit is never refused for a cap", async ({ second: client, newPerson }) => {
    const userId = newPerson();
    const { showTokens } = (await client.bootstrap(userId)).json;
    const spare = await client.unboundToken("second-nps", userId);
    const tokens = [
      ["second-nps", showTokens["second-nps"]],
      ["second-csat", showTokens["second-csat"]],
      ["second-nps", spare],
    ];
    for (const [surveyId, showToken] of tokens)
      expectStatus(await client.submit({ showToken, surveyId, rating: 1 }), 201);
  }),
  test("a survey with all the responses that it wants has no token for anyone; an earlier one is good", async (service) => {
    const { second: client, newPerson } = service;
    const [one, two, three] = [newPerson(), newPerson(), newPerson()];
    const showToken = await client.unboundToken("few", two);
    ok(showToken, "the survey `few` has all the responses that it wants already: erase them first");
    await client.answer("few", one);
    deepEqual(await askable(client, three, ["few"]), [], "a survey beyond its maximum has a token");
    expectStatus(await client.submit({ showToken, surveyId: "few", rating: 1 }), 201);
    for (const respondentId of [one, two]) await client.erase({ respondentId });
    deepEqual(await askable(client, three, ["few"]), ["few"], "erased responses count towards the maximum");
  }),
]);
