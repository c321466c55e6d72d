import { deepEqual, equal, ok } from "node:assert/strict";
import { under } from "../clauses/clause.ts";
import { expectPatience, expectSecretKey, test } from "./client-expectations.ts";
import { type ClientUnderTest, keys, type Scene } from "./client-under-test.ts";
import * as fault from "./faults.ts";

const task = { respondentId: "person-1", sessionId: "run-1", surveyId: "csat" };

/** The mints of a command, and for which surveys it says that it has a token. */
async function play(client: ClientUnderTest, mint?: fault.Fault | fault.Fault[], scene: Scene = {}) {
  const played = await client.play({ task, faults: { mint }, ...scene });
  const tokens = Object.keys((played.said?.tokens ?? {}) as object);
  return { ...played, mints: played.to("mint"), tokens };
}

export const mintClientClauses = under<ClientUnderTest>("4.4 `POST /v1/sdk/tokens`", [
  test("a minter sends respondent, session and survey as JSON, with the secret key in a header", async (client) => {
    const { mints, tokens } = await play(client);
    equal(mints.length, 1, `${mints.length} mints were sent for one run`);
    const [{ json, method, headers }] = mints as [(typeof mints)[number]];
    expectSecretKey(mints[0]!);
    deepEqual([json.respondentId, json.sessionId, method], ["person-1", "run-1", "POST"]);
    if (json.surveyId !== undefined) equal(json.surveyId, "csat");
    ok(/json|text\/plain/.test(headers.get("content-type") ?? "json"), "the body is not sent as JSON");
    deepEqual(tokens, ["csat"]);
  }),
  test("no token is no error", async (client) => {
    const answers = [{ rating: 4, respondentId: task.respondentId }];
    const { mints, tokens } = await play(client, undefined, { answers });
    deepEqual([mints.length, tokens], [1, []]);
  }),
  test("fields, reasons and reports that the minter does not know are ignored", async (client) => {
    const unknown = { reason: { nps: "moon_phase" }, reports: ["later"], extra: [{ deep: null }] };
    const mint = fault.changed(() => unknown);
    deepEqual((await play(client, mint)).tokens, ["csat"]);
  }),
  test("after a 429 the minter waits at least as long as Retry-After says", async (client) =>
    expectPatience((await play(client, [fault.limited])).mints)),
  test("a refusal is final: the minter does not repeat it and has no token", async (client) => {
    for (const mint of [fault.refused(401, "secret_key_required"), fault.refused(400, "invalid_body")]) {
      const { mints, tokens } = await play(client, mint);
      deepEqual([mints.length, tokens], [1, []], `after ${mints[0]?.status}`);
    }
  }),
  test("a reply that is lost, cut, or from an intermediary gives no token; the mint may be sent again", async (client) => {
    const broken = [
      fault.lost,
      fault.cut,
      fault.intercepted(200),
      fault.intercepted(502),
      fault.replaced({ unknown: 1 }),
    ];
    let repeats = 0;
    for (const first of [
      ...broken,
      fault.refused(500, "internal_error"),
      fault.refused(503, "unavailable"),
    ]) {
      const { mints, tokens } = await play(client, [first]);
      if (mints.length > 1) repeats++;
      deepEqual(tokens, mints.length > 1 ? ["csat"] : [], "a token out of a broken reply");
      for (const { json } of mints) deepEqual(json, mints[0]!.json, "a repeated mint differs");
    }
    return repeats > 0 ? "sends some mints again" : "never sends a mint again";
  }),
  test("a slow reply is read to its end, and one that stalls ends the mint", async (client) => {
    deepEqual((await play(client, fault.slow)).tokens, ["csat"]);
    deepEqual((await play(client, fault.stalled)).tokens, []);
  }),
  test("a redirect takes the secret key nowhere else", async (client) => {
    const away: fault.Fault = (_pass, { headers }) => {
      const location = `http://localhost:${headers.get("host")?.split(":")[1]}/elsewhere`;
      return new Response(null, { status: 307, headers: { location } });
    };
    const { seen } = await play(client, away);
    const elsewhere = seen.filter(({ path }) => path === "/elsewhere");
    for (const { headers } of elsewhere)
      ok(!JSON.stringify([...headers]).includes(keys.secretKey), "a redirect takes the key to another host");
    return elsewhere.length > 0 ? "follows redirects without the key" : "follows no redirect";
  }),
]);
