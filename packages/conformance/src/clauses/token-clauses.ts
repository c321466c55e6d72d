import { deepEqual, equal, ok } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { among, expectRefusal, expectStatus, padded } from "./expectations.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const noTokens = [
  "x",
  "st1",
  "st1..",
  "st2.zz.AAAA",
  "st3.a.b",
  ".",
  "a.b.c.d",
  "st1.__proto__.AAAA",
  "💥",
  "%00",
];

export const tokenClauses = under("2.2 Show-token", [
  test("the response of a bound token is listed with its session, observation and task type", async (client, newPerson, service) => {
    const run = { sessionId: service.newId(), observationId: "o-1", taskType: "t-1" };
    const showToken = await client.boundToken("nps", { respondentId: newPerson(), ...run });
    const { json } = await client.submit({ showToken, surveyId: "nps", rating: 8, taskType: "claimed" });
    const score = (await client.drain()).find(({ id }) => id === json.id);
    const { sessionId, observationId, taskType } = score ?? {};
    deepEqual({ sessionId, observationId, taskType }, run);
  }),
  test("a session or observation that is not attested is 401 token_session_mismatch; the token is unused", async (client, newPerson, service) => {
    const run = { sessionId: service.newId(), observationId: "o" };
    const showToken = await client.boundToken("nps", { respondentId: newPerson(), ...run });
    const answer = { showToken, surveyId: "nps", rating: 5 };
    const others = [{ sessionId: "other" }, { observationId: "other" }, { ...run, observationId: "other" }];
    for (const fields of others)
      expectRefusal(await client.submit({ ...answer, ...fields }), 401, "token_session_mismatch");
    expectStatus(await client.submit({ ...answer, ...run }), 201);
    const unobserved = await client.boundToken("csat", {
      respondentId: newPerson(),
      sessionId: run.sessionId,
    });
    const observed = { showToken: unobserved, surveyId: "csat", rating: 5, observationId: "o" };
    expectRefusal(await client.submit(observed), 401, "token_session_mismatch");
  }),
  test("without a task type in the token the body's counts", async (client, newPerson) => {
    const showToken = await client.boundToken("nps", { respondentId: newPerson() });
    const { json } = await client.submit({ showToken, surveyId: "nps", rating: 8, taskType: "said" });
    const score = (await client.drain()).find(({ id }) => id === json.id);
    equal(score?.taskType, "said");
  }),
  test("the token's respondent counts, whatever the body claims", async (client, newPerson) => {
    const [attested, claimed] = [newPerson(), newPerson()];
    const showToken = await client.boundToken("nps", { respondentId: attested });
    expectStatus(await client.submit({ showToken, surveyId: "nps", rating: 5, userId: claimed }), 201);
    equal((await client.export({ respondentId: attested })).json.count, 1);
    equal((await client.export({ respondentId: claimed })).json.count, 0);
    deepEqual((await client.bootstrap(claimed)).json.suppression, []);
  }),
  test("a respondent's id is kept to the byte: nothing trimmed, folded or normalised", async (client, newPerson, service) => {
    const person = newPerson();
    const others = [` ${person} `, person.toUpperCase(), `${person}e\u0301`, `${person}\u00e9`];
    for (const userId of others.map(service.ofThisRun)) {
      await client.submit(await client.fresh("nps", userId));
      const stored = (await client.rows(userId)).map(({ respondentId }) => respondentId);
      deepEqual(stored, [userId]);
    }
  }),
  test("a token without a respondent takes the body's", async (client, newPerson) => {
    const claimed = newPerson();
    const { showTokens, suppression } = (await client.bootstrap()).json;
    deepEqual(suppression, []);
    await client.submit({ showToken: showTokens.nps, surveyId: "nps", rating: 5, userId: claimed });
    equal((await client.export({ respondentId: claimed })).json.count, 1);
  }),
  test("a token with one character changed is 401 token_invalid, and the token stays unused", async (client, newPerson) => {
    const token = await client.boundToken("nps", { respondentId: newPerson() });
    for (let at = 0; at < token.length; at += 7) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
      const reply = await client.submit({ showToken: changed, surveyId: "nps", rating: 5 });
      expectRefusal(reply, 401, "token_invalid");
    }
    expectStatus(await client.submit({ showToken: token, surveyId: "nps", rating: 5 }), 201);
  }),
  test("a used token in another spelling stores nothing", async (client, newPerson) => {
    const respondentId = newPerson();
    const token = await client.boundToken("nps", { respondentId });
    expectStatus(await client.submit({ showToken: token, surveyId: "nps", rating: 5 }), 201);
    const respelled = [...alphabet].map((last) => token.slice(0, -1) + last).filter((one) => one !== token);
    respelled.push(`${token}=`, `${token} `, `${token}.`, token.replace("st2", "st1"));
    for (const showToken of respelled) {
      const { status } = await client.submit({ showToken, surveyId: "nps", rating: 5 });
      ok([401, 409].includes(status), `another spelling of a used token is ${status}, expected 401 or 409`);
    }
    equal((await client.export({ respondentId })).json.count, 1);
  }),
  test("what is no token is 401 token_invalid on submit and dismissal, never 5xx", async (client, newPerson) => {
    const userId = newPerson();
    for (const showToken of noTokens) {
      const given = { showToken, surveyId: "nps", userId };
      for (const reply of [await client.submit({ ...given, rating: 5 }), await client.dismiss(given)])
        expectRefusal(reply, 401, "token_invalid", showToken);
    }
  }),
  test("a token of another project is 401 token_invalid, and its owner can still use it", async (client, newPerson, service) => {
    const userId = newPerson();
    const showToken = await client.unboundToken("nps", userId);
    const given = { showToken, surveyId: "second-nps", rating: 1 };
    const bound = await client.boundToken("csat", { respondentId: userId });
    for (const reply of [
      await service.second.submit(given),
      await service.second.submit({ ...given, showToken: bound }),
      await service.second.dismiss({ ...given, userId }),
    ])
      expectRefusal(reply, 401, "token_invalid");
    expectStatus(await client.submit({ showToken, surveyId: "nps", rating: 5 }), 201);
  }),
  test("a response with an unbound token is unlinked, even if its body names a session", async (client, newPerson, service) => {
    const showToken = await client.unboundToken("nps", newPerson());
    const claim = { sessionId: service.newId(), observationId: service.newId() };
    const reply = await client.submit({ showToken, surveyId: "nps", rating: 8, ...claim });
    expectStatus(reply, 201);
    deepEqual(among(await client.drain({ includeFailed: "true" }), [reply.json.id]), []);
    equal((await client.ack([{ id: reply.json.id, state: "delivered" }])).json.updated, 0);
  }),
  test("the longest ids are attested to the last character, beside the longest text and traits", async (client, newPerson, service) => {
    const respondentId = service.ofThisRun(padded(newPerson(), "🙂"));
    const run = {
      sessionId: padded(service.newId(), "\u{20000}"),
      observationId: "\u{20001}".repeat(256),
      taskType: "é".repeat(128),
    };
    const showToken = await client.boundToken("nps", { respondentId, ...run });
    const traits = { about: "x".repeat(32 * 1024 - 12) };
    const answer = { showToken, surveyId: "nps", rating: 8, text: "\u{20002}".repeat(10_000), traits };
    const reply = await client.submit(answer);
    expectStatus(reply, 201);
    const score = (await client.drain()).find(({ id }) => id === reply.json.id);
    const { sessionId, observationId, taskType } = score ?? {};
    deepEqual({ sessionId, observationId, taskType }, run);
  }),
]);
