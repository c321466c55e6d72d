import { deepEqual, equal, ok } from "node:assert/strict";
import { type ApiClient } from "../service/api-client.ts";
import { quietPeriodInMs } from "../service/setup.ts";
import { extension, test, under } from "./clause.ts";
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
  test("quiet period and monthly cap withhold tokens, from responses and dismissals alike", async (_client, newPerson, service) => {
    const { second: client, wait } = service;
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
  test("a submit is never refused for a cap", async (_client, newPerson, { second: client }) => {
    const userId = newPerson();
    const { showTokens } = (await client.bootstrap(userId)).json;
    const spare = await client.unboundToken("second-nps", userId);
    for (const showToken of [showTokens["second-nps"], spare])
      expectStatus(await client.submit({ showToken, surveyId: "second-nps", rating: 1 }), 201);
    const last = { showToken: showTokens["second-csat"], surveyId: "second-csat", rating: 1 };
    expectStatus(await client.submit(last), 201);
  }),
  test("a survey with all the responses that it wants has no token for anyone; an earlier one is good", async (_client, newPerson, service) => {
    const { second: client } = service;
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

export const suppressionClauses = [
  ...under("2.3 Suppression", [
    test("an answered survey is suppressed for exactly that respondent id, and has no token", async (client, newPerson, service) => {
      const userId = newPerson();
      await client.answer("nps", userId);
      deepEqual((await client.bootstrap(userId)).json.suppression, ["nps"]);
      deepEqual(await askable(client, userId, ["nps", "csat"]), ["csat"]);
      for (const other of [userId.toUpperCase(), ` ${userId}`, `${userId}\u0301`]) {
        service.ofThisRun(other);
        deepEqual((await client.bootstrap(other)).json.suppression, []);
      }
    }),
    test("suppression survives the erasure of the person's responses", async (client, newPerson) => {
      const userId = newPerson();
      await client.answer("nps", userId);
      await client.answer("each-run", userId);
      await client.erase({ respondentId: userId });
      const { suppression, showTokens } = (await client.bootstrap(userId)).json;
      ok(suppression.includes("nps"), "suppression is gone after an erasure");
      equal(showTokens.nps, undefined);
    }),
  ]),
  ...extension("asking-again", "2.3 Suppression", [
    test("a survey that is asked in each run has a token in every run but those that were answered", async (client, newPerson, service) => {
      const [respondentId, sessionId] = [newPerson(), service.newId()];
      const page = (await client.bootstrap(respondentId)).json;
      deepEqual([page.showTokens["each-run"], page.suppression], [undefined, []]);
      for (const run of [{ sessionId }, { sessionId, observationId: "o" }, { sessionId: service.newId() }]) {
        const showToken = await client.boundToken("each-run", { respondentId, ...run });
        expectStatus(await client.submit({ showToken, surveyId: "each-run", rating: 5 }), 201);
        const { tokens, suppression } = (await client.mint({ respondentId, ...run })).json;
        deepEqual([tokens["each-run"], suppression], [undefined, ["each-run"]]);
      }
    }),
    test("all tokens minted for one person and run, of a survey asked in each run, are one", async (client, newPerson, service) => {
      const of = { respondentId: newPerson(), sessionId: service.newId() };
      const tokens = await Promise.all(Array.from({ length: 16 }, () => client.boundToken("each-run", of)));
      const submit = (showToken: string) => client.submit({ showToken, surveyId: "each-run", rating: 5 });
      const replies = await Promise.all(tokens.map(submit));
      const stored = replies.filter(({ status }) => status === 201);
      equal(stored.length, 1, "tokens of one run stored several responses");
      equal(new Set(replies.map(({ json }) => json.id ?? json.existing.id)).size, 1);
      equal((await client.export({ respondentId: of.respondentId })).json.count, 1);
    }),
    test("an unprompted survey has a token in the quiet period, and starts none", async (_client, newPerson, service) => {
      const { second: client } = service;
      const userId = newPerson();
      await client.answer("thumbs", userId);
      const asked = await askable(client, userId, ["second-nps"]);
      deepEqual(asked, ["second-nps"], "an unprompted survey starts a quiet period");
      const other = newPerson();
      await client.answer("second-nps", other);
      const thumbs = await askable(client, other, ["thumbs"]);
      deepEqual(thumbs, ["thumbs"], "the quiet period withholds an unprompted survey");
    }),
    test("a dismissal of a survey asked in each run withholds its tokens from later runs too", async (client, newPerson, service) => {
      const userId = newPerson();
      const showToken = await client.boundToken("each-run", {
        respondentId: userId,
        sessionId: service.newId(),
      });
      await client.dismiss({ showToken, surveyId: "each-run", userId });
      const { tokens } = (await client.mint({ respondentId: userId, sessionId: service.newId() })).json;
      equal(tokens["each-run"], undefined);
    }),
  ]),
];
