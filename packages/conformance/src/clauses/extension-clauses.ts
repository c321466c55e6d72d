import { deepEqual, equal, ok } from "node:assert/strict";
import { words } from "../service/setup.ts";
import { extension, test } from "./clause.ts";
import { expectRefusal, expectStatus } from "./expectations.ts";
import { scores } from "./queue-clauses.ts";

const failed = { version: "2.4", facts: { outcome: "failed", steps: 14, handedOver: true } };
const names = (count: number) => Array.from({ length: count }, (_, at) => `fact-${at}`);

export const extensionClauses = [
  ...extension("survey-words", "Words of a survey", [
    test("words, suggestions and translations of a survey are sent as they were defined", async (client) => {
      const { surveys } = (await client.bootstrap()).json;
      const sent = surveys.find(({ id }: { id: string }) => id === "worded");
      const { followUpQuestions, suggestions, translations } = sent;
      deepEqual({ followUpQuestions, suggestions, translations }, words);
    }),
  ]),
  ...extension("thumbs", "Thumbs", [
    test("a survey of thumbs takes 1 and 5 alone, and says so in its definition and its scores", async (client, newPerson) => {
      const { surveys } = (await client.bootstrap()).json;
      equal(surveys.find(({ id }: { id: string }) => id === "up-or-down").thumbs, true);
      const showToken = await client.boundToken("up-or-down", { respondentId: newPerson() });
      const rate = (rating: number) => client.submit({ showToken, surveyId: "up-or-down", rating });
      for (const rating of [2, 3, 4])
        expectRefusal(await rate(rating), 400, "rating_out_of_range", `${rating}`);
      const { id } = (await rate(5)).json;
      const other = await client.answer("csat", newPerson());
      const markOf = async (given: string) => (await client.drain()).find((row) => row.id === given)?.thumbs;
      deepEqual([await markOf(id), await markOf(other)], [true, undefined]);
    }),
  ]),
  ...extension("failure-reasons", "Reasons of failed scores", [
    test("a failed score may have a reason of 1 to 80 characters; nothing else changes, a bad one is 400", async (client, newPerson) => {
      const [id = ""] = await scores(client, newPerson, 1);
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
  ]),
  ...extension("same-answer", "What was stored", [
    test("a 409 says whether rating and text are those that were stored", async (client, newPerson) => {
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
    test("it says so with the first three 409 replies of a token only, however many ask at once", async (client, newPerson) => {
      const showToken = await client.boundToken("nps", { respondentId: newPerson() });
      const submit = () => client.submit({ showToken, surveyId: "nps", rating: 7 });
      await submit();
      const replies = await Promise.all(Array.from({ length: 24 }, submit));
      equal(replies.filter(({ json }) => "isSame" in json.existing).length, 3);
    }),
  ]),
  ...extension("runs", "Runs", [
    test("what a mint says about its run comes with score and export, and is absent where nothing was said", async (client, newPerson) => {
      const [respondentId, silent] = [newPerson(), newPerson()];
      const showToken = await client.boundToken("csat", { respondentId, run: failed });
      const { json } = await client.submit({ showToken, surveyId: "csat", rating: 5, run: { version: "9" } });
      const other = await client.answer("csat", silent);
      const rows = await client.drain();
      const runOf = (id: string) => rows.find((row) => row.id === id)?.run;
      deepEqual([runOf(json.id), runOf(other)], [failed, undefined]);
      deepEqual((await client.export({ respondentId })).json.responses[0].run, failed);
      await client.erase({ respondentId });
      deepEqual((await client.export({ respondentId })).json.responses, []);
    }),
    test("a run that breaks its limits is 400 invalid_body with a pointer below /run/", async (client, newPerson) => {
      const facts = (count: number, value: unknown) =>
        Object.fromEntries(names(count).map((name) => [name, value]));
      for (const run of [
        { version: "v".repeat(65) },
        { facts: facts(17, 1) },
        { facts: { note: "x".repeat(65) } },
        { facts: { list: [1] } },
        { facts: facts(9, "ü".repeat(30)) },
      ]) {
        const reply = await client.mint({ respondentId: newPerson(), run });
        expectRefusal(reply, 400, "invalid_body");
        ok(reply.json.errors.every(({ pointer }: { pointer: string }) => pointer.startsWith("/run/")));
      }
    }),
  ]),
  ...extension("run-sampling", "Runs", [
    test("sampling is decided at mint by the run's facts; probability and stratum stay with the response", async (client, newPerson) => {
      const respondentId = newPerson();
      const mint = async (run?: object) =>
        (await client.mint({ respondentId, surveyId: "failures", run })).json;
      deepEqual((await mint()).tokens, {});
      deepEqual((await mint()).reason, { failures: "not_sampled" });
      const showToken = (await mint(failed)).tokens.failures;
      await client.submit({ showToken, surveyId: "failures", rating: 9 });
      const [{ run }] = (await client.export({ respondentId })).json.responses;
      deepEqual([run.stratum, run.samplingProbability], ["failed", 1]);
      equal((await client.bootstrap(newPerson())).json.showTokens.failures, undefined);
      const draw = async (sessionId: string) =>
        "half" in (await client.mint({ respondentId: newPerson(), sessionId, surveyId: "half" })).json.tokens;
      const sessions = Array.from({ length: 24 }, (_, at) => `${respondentId}-${at}`);
      const [one, again] = [await Promise.all(sessions.map(draw)), await Promise.all(sessions.map(draw))];
      deepEqual(again, one, "a run is decided in two ways");
      equal(new Set(one).size, 2, "of 24 runs with a probability of one half, all or none are asked about");
    }),
  ]),
  ...extension("mint-reasons", "Reasons of a mint", [
    test("a mint says of each survey without a token why", async (client, newPerson) => {
      const respondentId = newPerson();
      await client.answer("nps", respondentId);
      const reasons = async (surveyId?: string) =>
        (await client.mint({ respondentId, surveyId })).json.reason;
      deepEqual(await reasons("unknown"), { unknown: "survey_unknown" });
      deepEqual(await reasons("paused"), { paused: "survey_inactive" });
      deepEqual(await reasons("nps"), { nps: "gated" });
      equal(await reasons("csat"), undefined);
      equal((await reasons())?.nps, "gated");
    }),
    test("the reason is maximum where a survey has all the responses that it wants", async (_client, newPerson, service) => {
      const { second: client } = service;
      const [one, two, three] = [newPerson(), newPerson(), newPerson()];
      // Beyond the monthly cap.
      const { tokens } = (await client.mint({ respondentId: one })).json;
      for (const surveyId of ["second-nps", "second-csat"])
        expectStatus(await client.submit({ showToken: tokens[surveyId], surveyId, rating: 1 }), 201);
      await client.answer("few", two);
      const reasons = async (respondentId: string) =>
        (await client.mint({ respondentId, surveyId: "few" })).json.reason;
      deepEqual(await reasons(three), { few: "maximum" });
      deepEqual(await reasons(one), { few: "gated" });
    }),
  ]),
];
