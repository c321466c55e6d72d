import { deepEqual, equal, ok } from "node:assert/strict";
import { under } from "../clauses/clause.ts";
import { type AnyJson } from "../service/any-json.ts";
import { expectPatience, expectSameSubmits, test } from "./client-expectations.ts";
import { type ClientUnderTest, type Scene, type Task } from "./client-under-test.ts";
import * as fault from "./faults.ts";

export const task: Task = { respondentId: "person-1", surveyId: "csat", rating: 4, text: "quick" };

/** What the page has submitted, and what its command says has become of that: `stored`, `refused`, or anything else. */
export async function playPage(client: ClientUnderTest, scene: Scene = {}) {
  const played = await client.play({ task, ...scene });
  return { ...played, submits: played.to("submit"), result: played.said?.result as unknown };
}

/** Bootstrap lists the survey with other fields. */
export const withSurvey = (fields: object): Scene => ({
  faults: { bootstrap: fault.changed(({ surveys: [survey] }) => ({ surveys: [{ ...survey, ...fields }] })) },
});

const answered = {
  id: "01a1fd16-8805-74a8-ace7-b794ffe595af",
  at: "2026-01-02T03:04:05.678Z",
  kind: "response",
};

/** After these faults, a page shows a 409 with this record as stored, or as not stored. */
async function expectRead(
  client: ClientUnderTest,
  before: fault.Fault[],
  existing: object | undefined,
  isStored: boolean,
) {
  const used = fault.refused(409, "token_used", existing && { existing });
  const { submits, result } = await playPage(client, { faults: { submit: [...before, used, used, used] } });
  const what = `a 409 with ${JSON.stringify(existing)} is shown as ${String(result)}`;
  equal(result === "stored", isStored, what);
  expectSameSubmits(submits);
}

export const pageClauses = under<ClientUnderTest>("1. Purpose", [
  test("a page sends token, survey, rating, text and respondent, and shows an IngestOk as stored", async (client) => {
    const { submits, result, responses, to } = await playPage(client);
    equal(submits.length, 1, `${submits.length} submits of one answer`);
    const [{ surveyId, respondentId, rating, text }] = responses as [AnyJson];
    deepEqual([surveyId, respondentId, rating, text], ["csat", "person-1", 4, "quick"]);
    equal(submits[0]!.json.userId, "person-1");
    equal(result, "stored");
    ok(to("bootstrap").length >= 1, "the page has not bootstrapped");
  }),
  test("a page without a token for the survey shows and sends nothing", async (client) => {
    const gated = [{ showTokens: {} }, { showTokens: undefined }, { showTokens: { nps: "st1.key.other" } }];
    for (const fields of [...gated, { surveys: [] }]) {
      const faults = { bootstrap: fault.changed(() => fields) };
      const { submits, result } = await playPage(client, { faults });
      deepEqual([submits.length, result], [0, "nothing"]);
    }
  }),
  test("a minted token is sent with its survey and session, in place of the unbound one", async (client) => {
    const given = { ...task, sessionId: "run-1" };
    const { submits, result, token } = await playPage(client, { task: given, isMinted: true });
    const { showToken, sessionId = "run-1" } = submits[0]?.json ?? {};
    deepEqual([showToken, sessionId, result], [token, "run-1", "stored"]);
  }),
  test("a page without a known user acts under an anonymous id and says so", async (client) => {
    const { submits } = await playPage(client, { task: { ...task, respondentId: undefined } });
    const { userId, identityKind } = submits[0]?.json ?? {};
    ok(typeof userId === "string" && userId !== "", "an anonymous answer has no id");
    ok(["anon-device", "anon-conversation"].includes(identityKind), `identityKind is ${identityKind}`);
    return `acts as ${identityKind}`;
  }),
  test("a page ignores fields that it does not know and skips surveys that do not fit the contract", async (client) => {
    const odd = { stars: { type: "stars" }, wall: { presentation: "wall" }, bare: { question: undefined } };
    const bootstrap = fault.changed(({ surveys: [survey], showTokens }) => ({
      surveys: [
        ...Object.entries(odd).map(([id, fields]) => ({ ...survey, id, slug: id, ...fields })),
        { ...survey, colour: { deep: [null] } },
      ],
      showTokens: Object.fromEntries([...Object.keys(odd), "csat"].map((id) => [id, showTokens.csat])),
      weather: "fine",
      reports: ["later"],
    }));
    const faults = { bootstrap, submit: fault.changed(() => ({ later: true })) };
    for (const surveyId of Object.keys(odd)) {
      const { result } = await playPage(client, { faults, task: { ...task, surveyId } });
      equal(result, "nothing", surveyId);
    }
    equal((await playPage(client, { faults })).result, "stored");
  }),
  test("a submit whose reply is lost is sent again as it was; a 409 that names it means stored", async (client) => {
    for (const lost of [fault.lost, fault.cut]) {
      const { submits, result } = await playPage(client, { faults: { submit: [lost] } });
      equal(submits.length, 2, `${submits.length} submits after a lost reply`);
      expectSameSubmits(submits);
      equal(result, "stored");
    }
  }),
  test("a 409 to the first attempt means stored only if the service says that it has this answer", async (client) => {
    await expectRead(client, [], { ...answered, isSame: true }, true);
    const others = [answered, { ...answered, isSame: false }, { ...answered, kind: "dismissal" }, undefined];
    for (const existing of others) await expectRead(client, [], existing, false);
  }),
  test("a 409 to a response that was sent before means stored unless it names a dismissal or another", async (client) => {
    // Not a lost reply: after that a browser repeats the request by itself, and its page sees one attempt.
    const before = [fault.refused(503, "unavailable")];
    for (const existing of [answered, undefined]) await expectRead(client, before, existing, true);
    for (const other of [{ isSame: false }, { kind: "dismissal" }])
      await expectRead(client, before, { ...answered, ...other }, false);
  }),
  test("a 4xx with a JSON object is final", async (client) => {
    for (const submit of [fault.refused(400, "invalid_body"), fault.refused(404, "survey_not_found")]) {
      const { submits, result } = await playPage(client, { faults: { submit } });
      const forms = submits.map(({ headers }) => headers.get("content-type"));
      equal(new Set(forms).size, forms.length, "a refused submit is sent again in the same form");
      ok(result !== "stored", "a refused answer is shown as stored");
    }
  }),
  test("what an intermediary answers, 408, 425, 500 and 503 are no answer: the submit is sent again", async (client) => {
    const others: fault.Fault[] = [200, 403, 502].map(fault.intercepted);
    others.push(
      ...[408, 425, 500, 503].map((status) => fault.refused(status, "x")),
      fault.replaced({ ok: false }, 201),
    );
    for (const other of others) {
      const { submits, result } = await playPage(client, { faults: { submit: [other] } });
      ok(submits.length >= 2, `a ${submits[0]?.status} is taken for an answer of the service`);
      expectSameSubmits(submits);
      equal(result, "stored");
    }
  }),
  test("after a 429 the page waits at least as long as Retry-After says, and sends the submit again", async (client) => {
    const { submits, result } = await playPage(client, { faults: { submit: [fault.limited] } });
    ok(submits.length >= 2, "a submit is given up after a 429");
    expectPatience(submits);
    equal(result, "stored");
  }),
  test("a slow reply is read to its end", async (client) => {
    const { submits, result } = await playPage(client, {
      faults: { bootstrap: fault.slow, submit: fault.slow },
    });
    expectSameSubmits(submits);
    equal(result, "stored");
  }),
  test("a bootstrap that is broken, or from an intermediary, asks nothing", async (client) => {
    for (const bootstrap of [fault.intercepted(200), fault.cut, fault.replaced({ surveys: "none" })]) {
      const { submits, result } = await playPage(client, { faults: { bootstrap } });
      deepEqual([submits.length, result], [0, "nothing"]);
    }
  }),
  test("a report that a survey was shown is sent where it is asked for, at most once, whatever the reply", async (client) => {
    const isUnwanted = { faults: { bootstrap: fault.changed(() => ({ reports: undefined })) } };
    const unwanted = (await playPage(client, isUnwanted)).to("shown");
    equal(unwanted.length, 0, "a report that a survey was shown, which no reply asked for");
    const { to, result } = await playPage(client, { faults: { shown: fault.refused(503, "unavailable") } });
    const shown = to("shown");
    ok(shown.length <= 1, `${shown.length} reports of one token`);
    equal(result, "stored");
    return shown.length > 0 ? "reports what it shows" : "reports nothing";
  }),
  test("a closed survey is sent as a dismissal with token, survey and respondent; no response follows", async (client) => {
    const { to, submits } = await playPage(client, { task: { ...task, dismiss: true } });
    const [dismissal] = to("dismiss");
    const { surveyId, userId } = dismissal?.json ?? {};
    deepEqual([dismissal?.status, surveyId, userId, submits.length], [201, "csat", "person-1", 0]);
    const { length } = (await playPage(client)).to("dismiss");
    equal(length, 0, "an answer is followed by a dismissal");
  }),
]);
