import { deepEqual, equal } from "node:assert/strict";
import { words } from "../service/setup.ts";
import { test, under } from "./clause.ts";
import { expectRefusal } from "./expectations.ts";
import { scores } from "./queue-clauses.ts";

export const wordClauses = under(
  "Words of a survey",
  [
    test("words, suggestions and translations of a survey are sent as they were defined", async (service) => {
      const { first: client } = service;
      const { surveys } = (await client.bootstrap()).json;
      const sent = surveys.find(({ id }: { id: string }) => id === "worded");
      const { followUpQuestions, suggestions, translations } = sent;
      deepEqual({ followUpQuestions, suggestions, translations }, words);
    }),
  ],
  "survey-words",
);

export const failureReasonClauses = under(
  "Reasons of failed scores",
  [
    test("a failed score may have a reason of 1 to 80 characters; nothing else changes, a bad one is 400", async (service) => {
      const client = service.first;
      const [id = ""] = await scores(service, 1);
      for (const reason of ["", "x".repeat(81), "two\nlines", 400, null])
        for (const state of ["failed", "delivered"])
          expectRefusal(
            await client.ack([{ id, state, reason }]),
            400,
            "invalid_ack",
            JSON.stringify(reason),
          );
      equal((await client.ack([{ id, state: "failed", reason: "😀".repeat(80) }])).json.updated, 1);
      equal((await client.ack([{ id, state: "failed", reason: "another" }])).json.updated, 0);
      equal((await client.ack([{ id, state: "delivered", reason: "ignored" }])).json.updated, 1);
    }),
  ],
  "failure-reasons",
);

export const sameAnswerClauses = under(
  "What was stored",
  [
    test("a 409 says whether rating and text are those that were stored", async (service) => {
      const { first: client, newPerson } = service;
      const cases = [
        [{ rating: 9 }, { rating: 9 }, true],
        [{ rating: 9, text: "fast 👍" }, { rating: 9, text: "fast 👍" }, true],
        [{ rating: 9, text: "" }, { rating: 9 }, true],
        [{ rating: 9, text: "a\u0000" }, { rating: 9, text: "a\u0000" }, true],
        [{ rating: 9 }, { rating: 8 }, false],
        [{ rating: 9, text: "fast" }, { rating: 9, text: "Fast" }, false],
        [{ rating: 9 }, { rating: 9, text: "fast" }, false],
      ] as const;
      for (const [answer, again, isSame] of cases) {
        const showToken = await client.unboundToken("nps", newPerson());
        await client.submit({ showToken, surveyId: "nps", ...answer });
        const reply = await client.submit({ showToken, surveyId: "nps", ...again });
        deepEqual([reply.status, reply.json.existing.isSame], [409, isSame]);
      }
    }),
    test("it says so with the first three 409 replies of a token only, however many ask at once", async (service) => {
      const { first: client, newPerson } = service;
      const showToken = await client.boundToken("nps", { respondentId: newPerson() });
      const submit = () => client.submit({ showToken, surveyId: "nps", rating: 7 });
      await submit();
      const replies = await Promise.all(Array.from({ length: 24 }, submit));
      equal(replies.filter(({ json }) => "isSame" in json.existing).length, 3);
    }),
  ],
  "same-answer",
);
