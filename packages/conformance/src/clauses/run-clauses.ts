import { deepEqual, equal, ok } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { expectRefusal, expectStatus } from "./expectations.ts";

const failed = { version: "2.4", facts: { outcome: "failed", steps: 14, handedOver: true } };
const names = (count: number) => Array.from({ length: count }, (_, at) => `fact-${at}`);

export const runClauses = [
  ...under(
    "Runs",
    [
      test("what a mint says about its run comes with score and export, and is absent where nothing was said", async (service) => {
        const { first: client, newPerson } = service;
        const [respondentId, silent] = [newPerson(), newPerson()];
        const showToken = await client.boundToken("csat", { respondentId, run: failed });
        const { json } = await client.submit({
          showToken,
          surveyId: "csat",
          rating: 5,
          run: { version: "9" },
        });
        const other = await client.answer("csat", silent);
        const rows = (await client.drain()) as { id: string; run?: unknown }[];
        const runOf = (id: string) => rows.find((row) => row.id === id)?.run;
        deepEqual([runOf(json.id), runOf(other)], [failed, undefined]);
        deepEqual((await client.export({ respondentId })).json.responses[0].run, failed);
        await client.erase({ respondentId });
        deepEqual((await client.export({ respondentId })).json.responses, []);
      }),
      test("a run that breaks its limits is 400 invalid_body with a pointer below /run/", async (service) => {
        const { first: client, newPerson } = service;
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
    ],
    "runs",
  ),
  ...under(
    "Runs",
    [
      test("sampling is decided at mint by the run's facts; probability and stratum stay with the response", async (service) => {
        const { first: client, newPerson } = service;
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
          "half" in
          (await client.mint({ respondentId: newPerson(), sessionId, surveyId: "half" })).json.tokens;
        const sessions = Array.from({ length: 24 }, (_, at) => `${respondentId}-${at}`);
        const [one, again] = [await Promise.all(sessions.map(draw)), await Promise.all(sessions.map(draw))];
        deepEqual(again, one, "a run is decided in two ways");
        equal(new Set(one).size, 2, "of 24 runs with a probability of one half, all or none are asked about");
      }),
    ],
    "run-sampling",
  ),
];

export const mintReasonClauses = under(
  "Reasons of a mint",
  [
    test("a mint says of each survey without a token why", async ({ first: client, newPerson }) => {
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
    test("the reason is maximum where a survey has all the responses that it wants", async (service) => {
      const { second: client, newPerson } = service;
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
  ],
  "mint-reasons",
);
