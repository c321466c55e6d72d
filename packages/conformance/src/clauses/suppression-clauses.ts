import { deepEqual, equal, ok } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { expectStatus } from "./expectations.ts";
import { askable } from "./gating-clauses.ts";

export const suppressionClauses = [
  ...under("2.3 Suppression", [
    test("an answered survey is suppressed for exactly that respondent id, and has no token", async (service) => {
      const { first: client, newPerson, ofThisRun } = service;
      const userId = newPerson();
      await client.answer("nps", userId);
      deepEqual((await client.bootstrap(userId)).json.suppression, ["nps"]);
      deepEqual(await askable(client, userId, ["nps", "csat"]), ["csat"]);
      for (const other of [userId.toUpperCase(), ` ${userId}`, `${userId}\u0301`]) {
        ofThisRun(other);
        deepEqual((await client.bootstrap(other)).json.suppression, []);
      }
    }),
    test("suppression survives the erasure of the person's responses", async ({
      first: client,
      newPerson,
    }) => {
      const userId = newPerson();
      await client.answer("nps", userId);
      await client.answer("each-run", userId);
      await client.erase({ respondentId: userId });
      const { suppression, showTokens } = (await client.bootstrap(userId)).json;
      ok(suppression.includes("nps"), "suppression is gone after an erasure");
      equal(showTokens.nps, undefined);
    }),
  ]),
  ...under(
    "2.3 Suppression",
    [
      test("a survey that is asked in each run has a token in every run but those that were answered", async (service) => {
        const { first: client, newPerson, newId } = service;
        const [respondentId, sessionId] = [newPerson(), newId()];
        const page = (await client.bootstrap(respondentId)).json;
        deepEqual([page.showTokens["each-run"], page.suppression], [undefined, []]);
        for (const run of [{ sessionId }, { sessionId, observationId: "o" }, { sessionId: newId() }]) {
          const showToken = await client.boundToken("each-run", { respondentId, ...run });
          expectStatus(await client.submit({ showToken, surveyId: "each-run", rating: 5 }), 201);
          const { tokens, suppression } = (await client.mint({ respondentId, ...run })).json;
          deepEqual([tokens["each-run"], suppression], [undefined, ["each-run"]]);
        }
      }),
      test("all tokens minted for one person and run, of a survey asked in each run, are one", async (service) => {
        const { first: client, newPerson, newId } = service;
        const of = { respondentId: newPerson(), sessionId: newId() };
        const tokens = await Promise.all(Array.from({ length: 16 }, () => client.boundToken("each-run", of)));
        const replies = await Promise.all(
          tokens.map((showToken) => client.submit({ showToken, surveyId: "each-run", rating: 5 })),
        );
        equal(
          replies.filter(({ status }) => status === 201).length,
          1,
          "tokens of one run stored several responses",
        );
        equal(new Set(replies.map(({ json }) => json.id ?? json.existing.id)).size, 1);
        equal((await client.export({ respondentId: of.respondentId })).json.count, 1);
      }),
      test("an unprompted survey has a token in the quiet period, and starts none", async (service) => {
        const { second: client, newPerson } = service;
        const userId = newPerson();
        await client.answer("thumbs", userId);
        deepEqual(
          await askable(client, userId, ["second-nps"]),
          ["second-nps"],
          "an unprompted survey starts a quiet period",
        );
        const other = newPerson();
        await client.answer("second-nps", other);
        deepEqual(
          await askable(client, other, ["thumbs"]),
          ["thumbs"],
          "the quiet period withholds an unprompted survey",
        );
      }),
      test("a dismissal of a survey asked in each run withholds its tokens from later runs too", async (service) => {
        const { first: client, newPerson, newId } = service;
        const userId = newPerson();
        const showToken = await client.boundToken("each-run", { respondentId: userId, sessionId: newId() });
        await client.dismiss({ showToken, surveyId: "each-run", userId });
        const { tokens } = (await client.mint({ respondentId: userId, sessionId: newId() })).json;
        equal(tokens["each-run"], undefined);
      }),
    ],
    "asking-again",
  ),
];
