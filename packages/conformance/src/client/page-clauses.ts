import { deepEqual, equal, ok } from "node:assert/strict";
import { under } from "../clauses/clause.ts";
import { type Answer } from "./client-server.ts";
import { type ClientUnderTest } from "./client-under-test.ts";
import { answered, asking, expectSameSubmits, playPage, stored, survey, task, used } from "./page-stage.ts";
import { expectPatience, limited, portal, problem } from "./played.ts";

export const pageClauses = under<ClientUnderTest>("1. Purpose", [
  {
    title: "a page sends token, survey, rating, text and respondent, and shows an IngestOk as stored",
    async run(client) {
      const { submits, result, bootstraps } = await playPage(client, {});
      equal(submits.length, 1, `${submits.length} submits of one answer`);
      const { showToken, surveyId, rating, text, userId } = submits[0]!.json;
      deepEqual(
        [showToken, surveyId, rating, text, userId],
        ["st1.key.token", "csat", 4, "quick", "person-1"],
      );
      equal(result, "stored");
      ok(bootstraps.length >= 1, "the page has not bootstrapped");
    },
  },
  {
    title: "a page without a token for the survey shows and sends nothing",
    async run(client) {
      const gated = [
        { showTokens: {} },
        { showTokens: undefined },
        { showTokens: { nps: "st1.key.other" } },
        { surveys: [] },
      ];
      for (const fields of gated) {
        const { submits, result } = await playPage(client, { bootstrap: asking(fields) });
        deepEqual([submits.length, result], [0, "nothing"]);
      }
    },
  },
  {
    title: "a minted token is sent with its survey and session, in place of the unbound one",
    async run(client) {
      const given = { ...task, token: "st2.key.minted", sessionId: "run-1" };
      const { submits, result } = await playPage(client, { given });
      const { showToken, sessionId = "run-1" } = submits[0]?.json ?? {};
      deepEqual([showToken, sessionId, result], ["st2.key.minted", "run-1", "stored"]);
    },
  },
  {
    title: "a page without a known user acts under an anonymous id and says so",
    async run(client) {
      const { submits } = await playPage(client, { given: { ...task, respondentId: undefined } });
      const { userId, identityKind } = submits[0]?.json ?? {};
      ok(typeof userId === "string" && userId !== "", "an anonymous answer has no id");
      ok(["anon-device", "anon-conversation"].includes(identityKind), `identityKind is ${identityKind}`);
      return `acts as ${identityKind}`;
    },
  },
  {
    title: "a page ignores fields that it does not know and skips surveys that do not fit the contract",
    async run(client) {
      const surveys = [
        { ...survey, id: "stars", slug: "stars", type: "stars" },
        { ...survey, id: "wall", slug: "wall", presentation: "wall" },
        { ...survey, id: "no-question", slug: "no-question", question: undefined },
        { ...survey, colour: { deep: [null] } },
      ];
      const showTokens = Object.fromEntries(surveys.map(({ id }) => [id, "st1.key.token"]));
      const bootstrap = asking({ surveys, showTokens, weather: "fine", reports: ["later"] });
      const body = { ...(stored.body as object), later: true };
      for (const surveyId of ["stars", "wall", "no-question"]) {
        const { result } = await playPage(client, { bootstrap, given: { ...task, surveyId } });
        equal(result, "nothing", surveyId);
      }
      equal((await playPage(client, { bootstrap, answers: [{ ...stored, body }] })).result, "stored");
    },
  },
  {
    title: "a submit whose reply is lost is sent again as it was; a 409 that names it means stored",
    async run(client) {
      for (const lost of [{ fate: "lost" }, { ...stored, fate: "cut" }] satisfies Answer[]) {
        const { submits, result } = await playPage(client, {
          answers: [lost, used({ ...answered, isSame: true })],
        });
        equal(submits.length, 2, `${submits.length} submits after a lost reply`);
        expectSameSubmits(submits);
        equal(result, "stored");
      }
    },
  },
  {
    title: "a 409 to the first attempt means stored only if the service says that it has this answer",
    async run(client) {
      const readings: [existing: object, isStored: boolean][] = [
        [answered, false],
        [{ ...answered, isSame: true }, true],
        [{ ...answered, isSame: false }, false],
        [{ ...answered, kind: "dismissal" }, false],
      ];
      for (const [existing, isStored] of readings) {
        const { submits, result } = await playPage(client, { answers: [used(existing)] });
        equal(
          result === "stored",
          isStored,
          `a 409 with ${JSON.stringify(existing)} is shown as ${String(result)}`,
        );
        expectSameSubmits(submits);
      }
      const { result } = await playPage(client, { answers: [problem(409, "token_used")] });
      ok(result !== "stored", "a 409 without `existing` is shown as stored");
    },
  },
  {
    title: "a 409 to a response that was sent before means stored unless it names a dismissal or another",
    async run(client) {
      const readings: [last: Answer, isStored: boolean][] = [
        [used(answered), true],
        [problem(409, "token_used"), true],
        [used({ ...answered, isSame: false }), false],
        [used({ ...answered, kind: "dismissal" }), false],
      ];
      for (const [last, isStored] of readings) {
        // Not a lost reply: after that a browser repeats the request by itself, and its page sees one attempt.
        const { result } = await playPage(client, { answers: [problem(503, "unavailable"), last] });
        const said = JSON.stringify(last.body);
        equal(result === "stored", isStored, `after a 503 a 409 ${said} is shown as ${String(result)}`);
      }
    },
  },
  {
    title: "a 4xx with a JSON object is final",
    async run(client) {
      for (const refusal of [problem(400, "invalid_body"), problem(404, "survey_not_found")]) {
        const { submits, result } = await playPage(client, { answers: [refusal] });
        const forms = submits.map(({ headers }) => headers["content-type"]);
        equal(new Set(forms).size, forms.length, "a refused submit is sent again in the same form");
        ok(result !== "stored", "a refused answer is shown as stored");
      }
    },
  },
  {
    title: "what an intermediary answers, 408, 425, 500 and 503 are no answer: the submit is sent again",
    async run(client) {
      const others = [
        portal(200),
        portal(403),
        portal(502),
        problem(408, "x"),
        problem(425, "x"),
        { status: 201, body: { ok: false } },
      ];
      for (const other of [...others, problem(500, "internal_error"), problem(503, "unavailable")]) {
        const { submits, result } = await playPage(client, { answers: [other, stored] });
        ok(submits.length >= 2, `a ${other.status} is taken for an answer of the service`);
        expectSameSubmits(submits);
        equal(result, "stored");
      }
    },
  },
  {
    title: "after a 429 the page waits at least as long as Retry-After says, and sends the submit again",
    async run(client) {
      const { submits, result } = await playPage(client, { answers: [limited, stored] });
      ok(submits.length >= 2, "a submit is given up after a 429");
      expectPatience(submits);
      equal(result, "stored");
    },
  },
  {
    title: "a slow reply is read to its end",
    async run(client) {
      const slow = { ...asking(), fate: "slow" } as const;
      const { submits, result } = await playPage(client, {
        bootstrap: slow,
        answers: [{ ...stored, fate: "slow" }],
      });
      expectSameSubmits(submits);
      equal(result, "stored");
    },
  },
  {
    title: "a bootstrap that is broken, or from an intermediary, asks nothing",
    async run(client) {
      for (const bootstrap of [
        portal(200),
        { ...asking(), fate: "cut" },
        { body: { surveys: "none" } },
      ] satisfies Answer[]) {
        const { submits, result } = await playPage(client, { bootstrap });
        deepEqual([submits.length, result], [0, "nothing"]);
      }
    },
  },
  {
    title: "a report that a survey was shown is sent where it is asked for, at most once, whatever the reply",
    async run(client) {
      const { shown, result } = await playPage(client, { bootstrap: asking({ reports: ["shown"] }) });
      ok(shown.length <= 1, `${shown.length} reports of one token`);
      equal(result, "stored");
      return shown.length > 0 ? "reports what it shows" : "reports nothing";
    },
  },
  {
    title: "a closed survey is sent as a dismissal with token, survey and respondent; no response follows",
    async run(client) {
      const { dismissals, submits } = await playPage(client, { given: { ...task, dismiss: true } });
      const { showToken, surveyId, userId } = dismissals[0]?.json ?? {};
      deepEqual([showToken, surveyId, userId, submits.length], ["st1.key.token", "csat", "person-1", 0]);
      equal((await playPage(client, {})).dismissals.length, 0, "an answer is followed by a dismissal");
    },
  },
]);
