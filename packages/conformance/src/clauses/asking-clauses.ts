import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type ApiClient } from "../service/api-client.ts";
import { quietPeriodInMs, surveys, words } from "../service/setup.ts";
import { inSection } from "./clause.ts";
import { expectMembers, expectRefusal, expectStatus, padded, time } from "./expectations.ts";

const isActive = ({ status }: { status: string }) => status === "active";
const notSent = new Set(["status", "askAgain", "sampling", ...Object.keys(words)]);

/** Which of these surveys bootstrap and mint give a person tokens for; the two must agree. */
async function askable(client: ApiClient, userId: string, among: string[]): Promise<string[]> {
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

export const bootstrapClauses = inSection("4.1", [
  {
    title: "bootstrap lists the active surveys with their definitions, suppression and tokens",
    proves: [
      "Clients are not told the policy",
      "`POST /v1/sdk/bootstrap` | P | surveys, suppression, unbound tokens",
      "**200**: `surveys` (active SurveyDefinitions)",
      "Bootstrap and mint include only *active* surveys",
      "Targeting and sampling do not affect the reply",
      "`targeting`? | array",
      "`samplePercent`? | number",
      "`delayMs`? | number",
      "`followUpQuestion`? | string",
      "`endLabels`? |",
      "`corner`? |",
      "`showBadge`? |",
      "`id` | identifier, ≤ 64 |",
      "`slug` | identifier, ≤ 64",
      "`type` | `nps` `csat` `ces` `pmf`",
      "`question` | string",
      "`presentation` | `corner`",
      "`trigger` | `auto` `manual`",
      "A targeting rule is `{ trait, op, value? }`",
      "bootstrap or mint, respondent may be asked | unused",
    ],
    async run({ first: client, newPerson }) {
      const { json } = await client.bootstrap(newPerson());
      const sent = new Map(json.surveys.map((survey: { id: string }) => [survey.id, survey]));
      for (const survey of surveys.filter(isActive)) {
        const meant = Object.fromEntries(Object.entries(survey).filter(([name]) => !notSent.has(name)));
        const given = (sent.get(survey.id) ?? {}) as Record<string, unknown>;
        const known = Object.fromEntries(Object.keys(meant).map((name) => [name, given[name]]));
        deepEqual(known, meant, `the definition of ${survey.id} differs from the setup`);
        for (const name of ["askAgain", "sampling"])
          ok(!(name in given), `${survey.id} is sent with its ${name}`);
      }
      equal(sent.has("paused"), false, "a paused survey is listed");
      deepEqual(json.suppression, []);
      for (const id of ["nps", "csat", "ces", "pmf"]) match(json.showTokens[id], /./);
      return `tokens ${json.showTokens.nps.startsWith("st1.") ? "begin with st1." : "of a form of their own"}`;
    },
  },
  {
    title: "bootstrap takes key and userId from the query or the body, and works without a body",
    proves: [
      "Query: `key`?, `userId`?",
      "may be absent or empty: `key`?",
      "In the body of bootstrap `userId: null` counts as absent",
    ],
    async run({ first: client, newPerson }) {
      const [key, userId] = [client.keys.publishableKey, newPerson()];
      await client.answer("nps", userId);
      const call = (query: Record<string, string>, body?: unknown) =>
        client.call("POST", "/v1/sdk/bootstrap", { query, body });
      for (const reply of [
        await call({ key, userId }),
        await call({ key, userId }, ""),
        await call({}, { key, userId }),
        await call({ key, userId }, { key, userId }),
        await call({ key, userId }, { userId: null }),
      ]) {
        expectStatus(reply, 200);
        deepEqual(reply.json.suppression, ["nps"]);
      }
    },
  },
  {
    title: "the JSON value null, and traits that break their limits, are 400 for bootstrap",
    proves: ["The JSON value `null` is not an absent body"],
    async run({ first: client }) {
      const query = { key: client.keys.publishableKey };
      for (const body of ["null", "[]", { traits: [] }, { traits: { a: "x".repeat(33_000) } }])
        expectRefusal(await client.call("POST", "/v1/sdk/bootstrap", { query, body }), 400, "invalid_body");
    },
  },
  {
    title: "GET /v1/definitions answers as bootstrap does, with Referrer-Policy: no-referrer",
    proves: [
      "the aliases of 4.9 keep their shapes",
      "`GET /v1/definitions` takes bootstrap's query",
      "`GET /v1/definitions` | P | alias of bootstrap",
    ],
    async run({ first: client, newPerson }) {
      const query = { key: client.keys.publishableKey, userId: newPerson() };
      const alias = await client.call("GET", "/v1/definitions", { query });
      const original = await client.call("POST", "/v1/sdk/bootstrap", { query });
      deepEqual(alias.json.surveys, original.json.surveys);
      expectMembers(Object.keys(alias.json.showTokens), Object.keys(original.json.showTokens), "tokens");
      equal(alias.headers.get("referrer-policy"), "no-referrer");
    },
  },
]);

export const suppressionClauses = inSection("2.3", [
  {
    title: "an answered survey is suppressed for exactly that respondent id, and has no token",
    proves: [
      "Suppression then covers only that id",
      '| `"never"`, the default | never |',
      "The ids of the surveys that a respondent has answered or dismissed",
      "It matches the exact id",
      "A survey without a token must not be shown",
    ],
    async run({ first: client, newPerson, ofThisRun }) {
      const userId = newPerson();
      await client.answer("nps", userId);
      deepEqual((await client.bootstrap(userId)).json.suppression, ["nps"]);
      deepEqual(await askable(client, userId, ["nps", "csat"]), ["csat"]);
      for (const other of [userId.toUpperCase(), ` ${userId}`, `${userId}\u0301`]) {
        ofThisRun(other);
        deepEqual((await client.bootstrap(other)).json.suppression, []);
      }
    },
  },
  {
    title: "suppression survives the erasure of the person's responses",
    proves: ["survives the erasure of the person's responses", "Erasing a person makes the suppression"],
    async run({ first: client, newPerson }) {
      const userId = newPerson();
      await client.answer("nps", userId);
      await client.answer("each-run", userId);
      await client.erase({ respondentId: userId });
      const { suppression, showTokens } = (await client.bootstrap(userId)).json;
      ok(suppression.includes("nps"), "suppression is gone after an erasure");
      equal(showTokens.nps, undefined);
    },
  },
  {
    title: "a survey that is asked in each run has a token in every run but those that were answered",
    proves: [
      "**Asking again.** A service may have a policy",
      '`{ "eachRun": true, "afterDismissal": "7d" }`',
      "A run is the mint's session, or session and observation",
      "mint lists it",
      "unbound token, and bootstrap does not list it in `suppression`",
    ],
    offers: "asking-again",
    async run({ first: client, newPerson, newId }) {
      const [respondentId, sessionId] = [newPerson(), newId()];
      const page = (await client.bootstrap(respondentId)).json;
      deepEqual([page.showTokens["each-run"], page.suppression], [undefined, []]);
      for (const run of [{ sessionId }, { sessionId, observationId: "o" }, { sessionId: newId() }]) {
        const showToken = await client.boundToken("each-run", { respondentId, ...run });
        expectStatus(await client.submit({ showToken, surveyId: "each-run", rating: 5 }), 201);
        const { tokens, suppression } = (await client.mint({ respondentId, ...run })).json;
        deepEqual([tokens["each-run"], suppression], [undefined, ["each-run"]]);
      }
    },
  },
  {
    title: "all tokens minted for one person and run, of a survey asked in each run, are one",
    proves: ["all tokens minted for one person and run are", "except that all tokens"],
    offers: "asking-again",
    async run({ first: client, newPerson, newId }) {
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
    },
  },
  {
    title: "an unprompted survey has a token in the quiet period, and starts none",
    proves: ['`"unprompted": true` marks a survey'],
    offers: "asking-again",
    async run({ second: client, newPerson }) {
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
    },
  },
  {
    title: "a dismissal of a survey asked in each run withholds its tokens from later runs too",
    proves: ["none while `afterDismissal` (default 7 days) lasts"],
    offers: "asking-again",
    async run({ first: client, newPerson, newId }) {
      const userId = newPerson();
      const showToken = await client.boundToken("each-run", { respondentId: userId, sessionId: newId() });
      await client.dismiss({ showToken, surveyId: "each-run", userId });
      const { tokens } = (await client.mint({ respondentId: userId, sessionId: newId() })).json;
      equal(tokens["each-run"], undefined);
    },
  },
]);

export const gatingClauses = inSection("1", [
  {
    title: "quiet period and monthly cap withhold tokens, from responses and dismissals alike",
    proves: [
      "**Gating.** The service decides",
      "There are four reasons to issue none",
      "Responses and dismissals count",

      "bootstrap or mint, respondent is gated",
      "Gated like bootstrap",
    ],
    async run({ second: client, newPerson, wait }) {
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
    },
  },
  {
    title: "a submit is never refused for a cap",
    proves: [
      "All of this is decided when tokens are issued",
      "A submit is never refused for a cap",
      "act only when tokens are",
    ],
    async run({ second: client, newPerson }) {
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
    },
  },
  {
    title:
      "a survey with all the responses that it wants has no token for anyone, and an earlier token is still good",
    proves: [
      "any survey recently (quiet period), has done so too often",
      "Then the token is missing from the reply, which is not an error",
      "What is erased no longer counts towards a maximum",
    ],
    async run({ second: client, newPerson }) {
      const [one, two, three] = [newPerson(), newPerson(), newPerson()];
      const showToken = await client.unboundToken("few", two);
      ok(showToken, "the survey `few` has all the responses that it wants already: erase them first");
      await client.answer("few", one);
      deepEqual(await askable(client, three, ["few"]), [], "a survey beyond its maximum has a token");
      expectStatus(await client.submit({ showToken, surveyId: "few", rating: 1 }), 201);
      for (const respondentId of [one, two]) await client.erase({ respondentId });
      deepEqual(await askable(client, three, ["few"]), ["few"], "erased responses count towards the maximum");
    },
  },
]);

export const mintClauses = inSection("4.4", [
  {
    title: "a mint gives a token for each active survey, suppression and the moment of issue",
    proves: [
      "`POST /v1/sdk/tokens` | S | mint bound tokens",
      "**200**: `tokens` (survey id to bound token",
      "All three are always present",
      "issuedAt` (time, equal to the",
    ],
    async run({ first: client, newPerson }) {
      const respondentId = newPerson();
      await client.answer("csat", respondentId);
      const { status, json } = await client.mint({ respondentId });
      equal(status, 200);
      const asked = Object.keys(json.tokens);
      for (const surveyId of ["nps", "ces", "pmf"]) ok(asked.includes(surveyId), `no token for ${surveyId}`);
      for (const surveyId of ["csat", "paused"]) ok(!asked.includes(surveyId), `a token for ${surveyId}`);
      deepEqual(json.suppression, ["csat"]);
      match(json.issuedAt, time);
      return `tokens ${json.tokens.nps.startsWith("st2.") ? "begin with st2." : "of a form of their own"}`;
    },
  },
  {
    title: "a mint for one survey gives that one alone, and none for an unknown or paused one",
    proves: ["An unknown or inactive survey gives `tokens: {}`, not 404"],
    async run({ first: client, newPerson }) {
      const respondentId = newPerson();
      deepEqual(Object.keys((await client.mint({ respondentId, surveyId: "csat" })).json.tokens), ["csat"]);
      for (const surveyId of ["unknown", "paused", "__proto__"]) {
        const reply = await client.mint({ respondentId, surveyId });
        expectStatus(reply, 200);
        deepEqual(reply.json.tokens, {}, surveyId);
      }
    },
  },
  {
    title:
      "a mint without respondent or session, or with an id that is empty, too long or not an identifier, is 400",
    proves: [
      "Codes: 400 `invalid_query` `invalid_body`; 401 `secret_key_required`",
      "Body: `respondentId` (live respondent id, ≤ 256), `sessionId` (identifier, ≤ 256)",
      "People imported from elsewhere have ids that begin with `imp_`",
    ],
    async run({ first: client, newPerson, newId }) {
      const whole = { respondentId: newPerson(), sessionId: newId() };
      const wrong: object[] = [{ respondentId: undefined }, { sessionId: undefined }, { sessionId: "" }];
      wrong.push(
        { respondentId: "r".repeat(257) },
        { sessionId: "s".repeat(257) },
        { observationId: "o".repeat(257) },
      );
      wrong.push({ taskType: "t".repeat(129) }, { respondentId: "a\u0007b" }, { sessionId: "a\ud800" });
      wrong.push({ respondentId: "imp_abc" }, { surveyId: "" });
      for (const fields of wrong)
        expectRefusal(
          await client.mint({ ...whole, ...fields }),
          400,
          "invalid_body",
          Object.keys(fields)[0],
        );
      const longest = { sessionId: padded(newId(), "🙂"), observationId: "🙂".repeat(256) };
      expectStatus(await client.mint({ ...whole, ...longest }), 200);
    },
  },
]);
