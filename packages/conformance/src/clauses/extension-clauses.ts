import { deepEqual, equal, ok } from "node:assert/strict";
import { type ApiClient } from "../service/api-client.ts";
import { type Service } from "../service/service.ts";
import { words } from "../service/setup.ts";
import { inSection } from "./clause.ts";
import { among, expectRefusal, expectStatus, idsOf } from "./expectations.ts";
import { scores } from "./queue-clauses.ts";

const failed = { version: "2.4", facts: { outcome: "failed", steps: 14, handedOver: true } };
const names = (count: number) => Array.from({ length: count }, (_, at) => `fact-${at}`);

export const tokenCheckClauses = inSection("4.10", [
  {
    title:
      "a check says fresh or used and changes nothing; a token that is forged or foreign is 401 token_invalid",
    proves: [
      "4.10: Codes: those of 4.1",
      "4.10: Query: `key`?.",
      "4.10: Body: `showToken` (string, ≥ 1)",
      "**200**: `state`, `surveyId` (the token's survey)",
      "Nothing is stored, and the token stays as it is: a later submit",
      "A token that is forged, of another project, from before a purge or long expired",
      "`state` is `used` if a response or dismissal has used the token",
      "`POST /v1/sdk/tokens/check` | P",
    ],
    offers: "token-check",
    async run({ first: client, second, newPerson }) {
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
    },
  },
]);

export const shownClauses = inSection("4.11", [
  {
    title:
      "a report that a survey was shown is 202 and leaves the token as it is; a forged or foreign token is 401",
    proves: [
      "4.11: Codes: those of 4.1",
      "4.11: Query: `key`?.",
      "4.11: Body: `showToken` (string, ≥ 1)",
      "Only numbers are kept, which hold nothing about a person",
      "**202**: `ok` (always `true`)",
      "A token that is forged, of another project or from before a purge is 401 `token_invalid`",
      "A used token is accepted",
      "`POST /v1/shown` | P",
      "`reports`? | array of strings",
      "`shown` stands for 4.11",
    ],
    offers: "shown",
    async run({ first: client, second, newPerson }) {
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
      for (const token of [
        await second.unboundToken("second-nps", userId),
        `${showTokens.csat.slice(0, -4)}AAAA`,
        "x",
      ])
        expectRefusal(await client.shown(token), 401, "token_invalid");
      expectRefusal(await client.shown(""), 400, "invalid_body");
      const inQuery = { query: { key: client.keys.publishableKey }, body: { showToken: showTokens.nps } };
      expectStatus(await client.call("POST", "/v1/shown", inQuery), 202, "a key in the query");
    },
  },
]);

export const wordClauses = inSection("Words of a survey", [
  {
    title: "words, suggestions and translations of a survey are sent as they were defined",
    proves: ["`followUpQuestions`? |", "`suggestions`? |", "`translations`? |"],
    offers: "survey-words",
    async run({ first: client }) {
      const { surveys } = (await client.bootstrap()).json;
      const sent = surveys.find(({ id }: { id: string }) => id === "worded");
      const { followUpQuestions, suggestions, translations } = sent;
      deepEqual({ followUpQuestions, suggestions, translations }, words);
    },
  },
]);

export const failureReasonClauses = inSection("Reasons of failed scores", [
  {
    title:
      "a failed score may have a reason of 1 to 80 characters, which changes nothing else; a bad one is 400",
    proves: ["`reason`? | string of 1–80 without control characters", "A longer one is 400"],
    offers: "failure-reasons",
    async run(service) {
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
    },
  },
]);

export const runClauses = inSection("Runs", [
  {
    title:
      "what a mint says about its run comes with the score and the export, and is absent where nothing was said",
    proves: [
      "Facts travel inside the token",
      "`run`? | `{ version?, facts? }` | in the body of a mint",
      "`run`? | `{ version?, facts?, stratum?, samplingProbability? }`",
      "The service keeps it with the response, exports and erases it",
    ],
    offers: "runs",
    async run({ first: client, newPerson }) {
      const [respondentId, silent] = [newPerson(), newPerson()];
      const showToken = await client.boundToken("csat", { respondentId, run: failed });
      const { json } = await client.submit({ showToken, surveyId: "csat", rating: 5, run: { version: "9" } });
      const other = await client.answer("csat", silent);
      const rows = (await client.drain()) as { id: string; run?: unknown }[];
      const runOf = (id: string) => rows.find((row) => row.id === id)?.run;
      deepEqual([runOf(json.id), runOf(other)], [failed, undefined]);
      deepEqual((await client.export({ respondentId })).json.responses[0].run, failed);
      await client.erase({ respondentId });
      equal((await client.export({ respondentId })).text.includes("2.4"), false);
    },
  },
  {
    title: "a run that breaks its limits is 400 invalid_body with a pointer below /run/",
    proves: [
      "`run.version`? | identifier, ≤ 64",
      "`run.facts`? | object of at most 16 facts",
      "What breaks these limits is 400 `invalid_body`",
    ],
    offers: "runs",
    async run({ first: client, newPerson }) {
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
    },
  },
  {
    title:
      "sampling is decided at mint by the run's facts, and its probability and stratum stay with the response",
    proves: [
      "It decides at mint, before gating",
      "`not_sampled`: it does not ask",
      "**Sampling.** A server may let a survey ask about some runs only",
      "A survey without a token for that reason has the reason `not_sampled`",
      "`samplingProbability` (0 to 1) says",
    ],
    offers: "run-sampling",
    async run({ first: client, newPerson }) {
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
    },
  },
]);

export const sameAnswerClauses = inSection("What was stored", [
  {
    title: "a 409 says whether rating and text are those that were stored",
    proves: ["`existing.isSame`? | boolean"],
    offers: "same-answer",
    async run({ first: client, newPerson }) {
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
    },
  },
  {
    title: "it says so with the first three 409 replies of a token only, however many ask at once",
    proves: ["A server sends it only within 24 hours"],
    offers: "same-answer",
    async run({ first: client, newPerson }) {
      const showToken = await client.boundToken("nps", { respondentId: newPerson() });
      const submit = () => client.submit({ showToken, surveyId: "nps", rating: 7 });
      await submit();
      const replies = await Promise.all(Array.from({ length: 24 }, submit));
      equal(replies.filter(({ json }) => "isSame" in json.existing).length, 3);
    },
  },
]);

export const mintReasonClauses = inSection("Reasons of a mint", [
  {
    title: "a mint says of each survey without a token why",
    proves: [
      "`reason`? | object: survey id to",
      "It names the survey of the request",
      "`gated`: the respondent has answered",
      "`survey_inactive`: it is",
      "`survey_unknown`: the project has no such survey",
    ],
    offers: "mint-reasons",
    async run({ first: client, newPerson }) {
      const respondentId = newPerson();
      await client.answer("nps", respondentId);
      const reasons = async (surveyId?: string) =>
        (await client.mint({ respondentId, surveyId })).json.reason;
      deepEqual(await reasons("unknown"), { unknown: "survey_unknown" });
      deepEqual(await reasons("paused"), { paused: "survey_inactive" });
      deepEqual(await reasons("nps"), { nps: "gated" });
      equal(await reasons("csat"), undefined);
      equal((await reasons())?.nps, "gated");
    },
  },
  {
    title: "the reason is maximum where a survey has all the responses that it wants",
    proves: ["`maximum`: the survey has all the responses", "Of several reasons it is the first of"],
    offers: "mint-reasons",
    async run({ second: client, newPerson }) {
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
    },
  },
]);

const consumer = (name: string, seconds = 60) => ({ lease: String(seconds), consumer: name });

/** Where the queue begins to list these scores, so that a lease from there on takes no score that was there before. */
async function startOf(client: ApiClient, ids: string[], query: Record<string, string> = {}) {
  const [start = ""] = ids;
  let before = idsOf(await client.drain(query)).indexOf(start);
  ok(before >= 0, "the queue does not list a new score");
  let from: { cursor?: string } = {};
  while (before > 0) {
    const limit = Math.min(before, 100);
    from = { cursor: (await client.pending({ limit: String(limit), ...query, ...from })).json.nextCursor };
    before -= limit;
  }
  return from;
}

/** Gives back what these consumers have leased, also where a clause fails. */
async function giveBack(client: ApiClient, names: string[], from: Record<string, string>): Promise<void> {
  for (const name of names) await client.pending({ ...from, ...consumer(name, 0) });
}

export const leaseClauses = inSection("Leases", [
  {
    title:
      "a leased score is kept from other consumers until the lease ends, and listed to its own and without a lease",
    proves: [
      "Cursors are the same with and without a lease",
      "The reply has `lease`",
      "A score that is listed with a lease",
      "A consumer's own scores are listed to it again",
      "`lease`? | `0` to `300`",
      "A poll without the two fields lists as before",
      "killed consumer's scores come back by themselves",
      "Without a [lease](#leases), two consumers get the same scores",
    ],
    offers: "leases",
    async run(service) {
      const [client, ids] = [service.first, await scores(service, 2)];
      const [a, b, from] = [service.newId(), service.newId(), await startOf(client, ids)];
      const listed = async (query: Record<string, string>) =>
        among(await client.drain({ ...from, ...query }), ids);
      try {
        equal((await client.pending({ ...from, ...consumer(a, 1) })).json.lease, 1);
        deepEqual(await listed(consumer(a, 1)), ids);
        const cursor = (await client.pending({ limit: "1", ...from, ...consumer(a, 1) })).json.nextCursor;
        const [bare, leased] = [
          await client.pending({ cursor }),
          await client.pending({ cursor, ...consumer(a, 1) }),
        ];
        deepEqual(bare.json.scores, leased.json.scores, "a cursor leads elsewhere with a lease");
        deepEqual(await listed(consumer(b, 1)), [], "a leased score is listed to another consumer");
        deepEqual(await listed({}), ids);
        await service.wait(1_100);
        deepEqual(await listed(consumer(b, 1)), ids, "an ended lease still keeps scores");
      } finally {
        await giveBack(client, [a, b], from);
      }
    },
  },
  {
    title:
      "lease=0 gives back all scores of the consumer, acknowledgements ignore leases and end them, and HEAD takes none",
    proves: [
      "It lists the page that a lease would",
      "`lease=0` gives back all scores",
      "HEAD leases nothing",
      "consumer`? | identifier, ≤ 64",
      "A page may have fewer scores than `limit`",
    ],
    offers: "leases",
    async run(service) {
      const [client, ids] = [service.first, await scores(service, 2)];
      const [a, b, from] = [service.newId(), service.newId(), await startOf(client, ids)];
      const listed = async (query: Record<string, string>) =>
        among(await client.drain({ ...from, ...query }), ids);
      try {
        await client.server("HEAD", "/v1/sdk/pending-scores", { query: { ...from, ...consumer(a) } });
        deepEqual(await listed(consumer(b)), ids, "HEAD has leased scores");
        deepEqual(await listed(consumer(b, 0)), ids, "lease=0 does not list what a lease would");
        deepEqual(await listed(consumer(a)), ids, "lease=0 has not given the scores back");
        const [id = ""] = ids;
        equal((await client.ack([{ id, state: "failed" }])).json.updated, 1);
        const includeFailed = { includeFailed: "true" };
        const withFailed = { ...includeFailed, ...(await startOf(client, ids, includeFailed)) };
        const toAnother = among(await client.drain({ ...withFailed, ...consumer(b) }), ids);
        deepEqual(toAnother, [id], "an acknowledged score is still leased");
      } finally {
        await giveBack(client, [a, b], from);
      }
    },
  },
  {
    title: "lease and consumer belong together and keep their bounds, else 400 invalid_query",
    proves: [
      "Two more fields in the query of 4.5, both or neither",
      "lease of pending scores, its consumer | 0–300 seconds, 1–64",
    ],
    offers: "leases",
    async run({ first: client, newId }: Service) {
      const name = newId();
      const wrong: Record<string, string>[] = [{ lease: "60" }, { consumer: name }, consumer(name, 301)];
      wrong.push(consumer(name, -1), consumer(name, 0.5), consumer(""), consumer(name.padEnd(65, "a")));
      for (const query of wrong)
        expectRefusal(await client.pending(query), 400, "invalid_query", JSON.stringify(query));
    },
  },
]);
