import { deepEqual, equal, ok } from "node:assert/strict";
import { type ApiClient } from "../service/api-client.ts";
import { test, under } from "./clause.ts";
import { expectRefusal, expectStatus } from "./expectations.ts";

const scales = { nps: [0, 10], csat: [1, 5], ces: [1, 7], pmf: [0, 2] } as const;

/** A submit whose fields are written as JSON by hand. */
const submitRaw = (client: ApiClient, showToken: string, fields: string) =>
  client.call("POST", "/v1/sdk/responses", {
    body: `{"key":"${client.keys.publishableKey}","showToken":"${showToken}","surveyId":"nps",${fields}}`,
  });

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));

export const bodyClauses = under("2.4 ResponseBody", [
  test("each type takes the ratings of its scale and refuses those beside with rating_out_of_range", async (client, newPerson) => {
    for (const [surveyId, [min, max]] of Object.entries(scales)) {
      for (let rating = 0; rating <= 10; rating++) {
        const showToken = await client.boundToken(surveyId, { respondentId: newPerson() });
        const reply = await client.submit({ showToken, surveyId, rating });
        if (rating >= min && rating <= max) expectStatus(reply, 201, `${surveyId} ${rating}`);
        else expectRefusal(reply, 400, "rating_out_of_range", `${surveyId} ${rating}`);
      }
    }
  }),
  test("7.0 and 1e1 are integers and -0 is 0; what is no integer from 0 to 10 is 400 invalid_body", async (client, newPerson) => {
    const numbers = { "7.0": 7, "1e1": 10, "-0": 0, "6.99999999999999999999": 7 };
    for (const [written, stored] of Object.entries(numbers)) {
      const userId = newPerson();
      const showToken = await client.unboundToken("nps", userId);
      expectStatus(await submitRaw(client, showToken, `"rating":${written}`), 201, written);
      const exported = await client.export({ respondentId: userId });
      equal(exported.json.responses[0].rating, stored);
      ok(!exported.text.includes("-0,"), "an export has no -0");
    }
    const showToken = await client.unboundToken("nps", newPerson());
    for (const wrong of ['"7"', "7.5", "true", "null", "-1", "11", "[7]"])
      expectRefusal(await submitRaw(client, showToken, `"rating":${wrong}`), 400, "invalid_body", wrong);
  }),
  test("a text has at most 10,000 characters, counted in code points, and may be written in escapes", async (client, newPerson) => {
    const userId = newPerson();
    const answer = await client.fresh("nps", userId);
    expectRefusal(await client.submit({ ...answer, text: "🙂".repeat(10_001) }), 400, "invalid_body");
    const escaped = "\\ud83d\\ude42".repeat(10_000);
    expectStatus(await submitRaw(client, answer.showToken, `"rating":5,"text":"${escaped}"`), 201);
    equal((await client.rows(userId))[0].text, "🙂".repeat(10_000));
  }),
  test("NUL and lone surrogates in texts and traits become U+FFFD, and an empty text is taken", async (client, newPerson) => {
    const [userId, silent] = [newPerson(), newPerson()];
    const answer = { text: "a\u0000b\ud800c", traits: { "pl\u0000an": "a\ud800b" } };
    expectStatus(await client.submit({ ...(await client.fresh("nps", userId)), ...answer }), 201);
    const [row] = await client.rows(userId);
    equal(row.text, "a\ufffdb\ufffdc");
    deepEqual(row.traits, { "pl\ufffdan": "a\ufffdb" });
    expectStatus(await client.submit({ ...(await client.fresh("nps", silent)), text: "" }), 201);
  }),
  test("an empty showToken, surveyId, key, or an empty or too long session, observation, task type is 400", async (client, newPerson) => {
    const answer = await client.fresh("nps", newPerson());
    const wrong: object[] = [{ showToken: "" }, { surveyId: "" }, { followUpRequested: "yes" }];
    wrong.push({ identityKind: "someone" });
    for (const name of ["sessionId", "observationId"])
      wrong.push({ [name]: "" }, { [name]: "s".repeat(257) });
    wrong.push({ taskType: "" }, { taskType: "t".repeat(129) });
    for (const fields of wrong) {
      const reply = await client.submit({ ...answer, ...fields });
      expectRefusal(reply, 400, "invalid_body", Object.keys(fields)[0]);
    }
    const legal = { followUpRequested: true, identityKind: "anon-device", taskType: "🙂".repeat(128) };
    expectStatus(await client.submit({ ...answer, ...legal }), 201);
  }),
  test("a userId with control characters or half a character, empty, too long or with imp_ is 400", async (client, newPerson) => {
    const answer = await client.fresh("nps", newPerson());
    const wrong = ["a\u0001b", "a\ud800", "a\u0000", "a\nb", "a\u007f", "a\u0085"];
    for (const userId of [...wrong, "u".repeat(1025), "", "imp_abc"]) {
      const what = JSON.stringify(userId).slice(0, 20);
      expectStatus(await client.submit({ ...answer, userId }), 400, what);
      expectStatus(await client.bootstrap(userId), 400, what);
    }
  }),
  test("unknown fields are ignored and not stored", async (client, newPerson) => {
    const userId = newPerson();
    const unknown = { admin: "unknown-field", at: "1999-01-01T00:00:00.000Z" };
    expectStatus(await client.submit({ ...(await client.fresh("nps", userId)), ...unknown }), 201);
    const { text } = await client.export({ respondentId: userId });
    ok(!/unknown-field|1999-01-01/.test(text), "unknown fields come back in an export");
  }),
  test("traits come back as they were, as a snapshot of each response", async (client, newPerson) => {
    const userId = newPerson();
    const sent = [{ plan: "pro", tags: ["a"], address: { city: "Ulm" }, none: null }, { seats: 3 }];
    for (const [at, traits] of sent.entries()) {
      const answer = await client.fresh(["nps", "csat"][at]!, userId);
      expectStatus(await client.submit({ ...answer, traits }), 201);
    }
    const stored = (await client.rows(userId)).map(({ traits }) => traits);
    deepEqual(stored, sent);
  }),
  test("traits may have 100 keys, eight levels and 32 KiB; larger ones are 400", async (client, newPerson) => {
    const submit = async (traits: unknown) => {
      return client.submit({ ...(await client.fresh("nps", newPerson())), traits });
    };
    for (const legal of [keys(100), nested(8), { a: "x".repeat(32 * 1024 - 8) }])
      expectStatus(await submit(legal), 201);
    const tooLarge = [keys(101), nested(9), { a: "x".repeat(32 * 1024 - 7) }, { a: "é".repeat(16_384) }];
    for (const traits of [[], "x", 1, null, ...tooLarge])
      expectStatus(await submit(traits), 400, JSON.stringify(traits).slice(0, 20));
  }),
  test("the trait keys __proto__, constructor and prototype are dropped at every level", async (client, newPerson) => {
    const userId = newPerson();
    const showToken = await client.unboundToken("nps", userId);
    const traits = '{"__proto__":{"x":1},"constructor":1,"a":{"prototype":2,"__proto__":{"y":1},"ok":3}}';
    expectStatus(await submitRaw(client, showToken, `"rating":5,"traits":${traits}`), 201);
    const exported = await client.export({ respondentId: userId });
    deepEqual(exported.json.responses[0].traits, { a: { ok: 3 } });
    ok(!exported.text.includes("__proto__"), "__proto__ comes back in an export");
  }),
]);
