import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { among, expectRefusal, expectStatus, idsOf, time } from "./expectations.ts";

export const exportClauses = under("4.7 `GET /v1/privacy/export`", [
  test("an export names project, time and count, and has the rows of the person", async (client, newPerson) => {
    const respondentId = newPerson();
    const ids = [await client.answer("nps", respondentId), await client.answer("csat", respondentId)];
    const { status, json } = await client.export({ respondentId });
    equal(status, 200);
    ok(typeof json.projectId === "string" && json.projectId !== "");
    match(json.exportedAt, time);
    equal(json.count, 2);
    deepEqual(idsOf(json.responses), ids, "an export is not oldest first");
  }),
  test("an export selects by person, by survey, by both, or everything", async (client, newPerson) => {
    const [person, stranger] = [newPerson(), newPerson()];
    const nps = await client.answer("nps", person);
    const csat = await client.answer("csat", person);
    const others = await client.answer("nps", stranger);
    const of = async (query: Record<string, string>) =>
      among((await client.export(query)).json.responses, [nps, csat, others]).toSorted();
    deepEqual(await of({ respondentId: person, surveySlug: "nps-slug" }), [nps]);
    deepEqual(await of({ surveySlug: "nps-slug" }), [nps, others].toSorted());
    deepEqual(await of({}), [nps, csat, others].toSorted());
  }),
  test("a slug that the project does not have is 404; one without rows, or an unknown person, is empty", async (client, newPerson, service) => {
    for (const surveySlug of ["no-slug", "second-nps-slug"])
      expectRefusal(await client.export({ surveySlug }), 404, "survey_not_found", surveySlug);
    const email = `${newPerson()}@example.org`;
    const people = [{ respondentId: newPerson() }, { email }, { email: ` ${email} ` }];
    for (const query of [{ surveySlug: "paused-slug" }, ...people] as Record<string, string>[]) {
      const { json } = await client.export(query);
      deepEqual([json.count, json.responses], [0, []], Object.keys(query)[0]);
    }
    expectStatus(await service.second.export({ surveySlug: "second-nps-slug" }), 200);
  }),
  test("an export with an empty or bad selector is 400 invalid_selectors", async (client) => {
    const wrong: Record<string, string>[] = [{ respondentId: "" }, { email: "" }, { email: "no address" }];
    wrong.push({ surveySlug: "" }, { account: "1" }, { email: `${"a".repeat(321)}@example.org` });
    for (const query of wrong)
      expectRefusal(await client.export(query), 400, "invalid_selectors", Object.keys(query)[0]);
  }),
]);

export const exportRowClauses = under("2.8 ExportRow", [
  test("a row of an export has what was stored, and the version of the survey", async (client, newPerson) => {
    const respondentId = newPerson();
    const stored = { text: "good", followUpRequested: true, traits: { a: 1 } };
    const notExported = { identityKind: "identified", taskType: "search" };
    const id = await client.answer("csat", respondentId, { ...stored, ...notExported });
    const [{ surveyVersion, at, ...row }] = (await client.export({ respondentId })).json.responses;
    deepEqual(row, { id, surveyId: "csat", respondentId, rating: 2, source: "measured", ...stored });
    ok(Number.isInteger(surveyVersion), "surveyVersion is no integer");
    match(at, time);
    const silent = newPerson();
    await client.answer("csat", silent);
    const [bare] = (await client.export({ respondentId: silent })).json.responses;
    equal(bare.followUpRequested, undefined, "followUpRequested is exported although it was not sent");
  }),
]);

export const eraseClauses = under("4.8 `DELETE /v1/privacy/erase`", [
  test("erasing a person deletes responses, dismissals and queued scores, and says how many", async (client, newPerson) => {
    const [userId, stranger] = [newPerson(), newPerson()];
    const ids = [await client.answer("nps", userId), await client.answer("csat", userId)];
    const others = await client.answer("nps", stranger);
    await client.dismiss({ showToken: await client.unboundToken("ces", userId), surveyId: "ces", userId });
    const { status, json } = await client.erase({ respondentId: userId });
    equal(status, 200);
    const counts = { responsesDeleted: 2, dismissalsDeleted: 1, suppressionRetained: 3 };
    const { note: _, ...known } = json;
    deepEqual(known, { ok: true, mode: "respondent", respondentIds: [userId], ...counts });
    equal((await client.export({ respondentId: userId })).json.count, 0);
    deepEqual(among(await client.drain({ includeFailed: "true" }), [...ids, others]), [others]);
  }),
  test("a note says that delivered scores stay at the observability service", async (client, newPerson) => {
    const { note } = (await client.erase({ respondentId: newPerson() })).json;
    ok(typeof note === "string" && note.length > 0, "an erasure has no note");
  }),
  test("erasing again, or an unknown person, is 200 with zeros, and counts the suppression that is kept", async (client, newPerson) => {
    const [stranger, person] = [newPerson(), newPerson()];
    await client.answer("nps", person);
    await client.erase({ respondentId: person });
    for (const [respondentId, kept] of Object.entries({ [stranger]: 0, [person]: 1 })) {
      const { status, json } = await client.erase({ respondentId });
      deepEqual([status, json.suppressionRetained], [200, kept]);
      deepEqual([json.responsesDeleted, json.dismissalsDeleted], [0, 0]);
    }
  }),
  test("a person with a slug is erased within that survey alone, and nobody else is", async (client, newPerson) => {
    const [person, stranger] = [newPerson(), newPerson()];
    for (const surveyId of ["nps", "csat"]) await client.answer(surveyId, person);
    await client.answer("nps", stranger);
    const { json } = await client.erase({ respondentId: person, surveySlug: "nps-slug" });
    deepEqual([json.mode, json.surveySlug, json.responsesDeleted], ["respondent", "nps-slug", 1]);
    for (const respondentId of [person, stranger])
      equal((await client.export({ respondentId })).json.count, 1);
  }),
  test("an id and an address select both, and the address never comes back", async (client, newPerson) => {
    const person = newPerson();
    await client.answer("nps", person);
    const reply = await client.erase({ respondentId: person, email: `${person}@Example.org` });
    const [id, imported] = reply.json.respondentIds;
    deepEqual([id, reply.json.responsesDeleted], [person, 1]);
    match(imported, /^imp_/);
    ok(!reply.text.toLowerCase().includes("example.org"), "an erasure repeats the address");
    const lower = await client.erase({ email: `${person}@example.org` });
    deepEqual(lower.json.respondentIds, [imported], "an address is hashed in its own case");
  }),
  test("a token from before the erasure of a person is still good", async (client, newPerson) => {
    const userId = newPerson();
    const showToken = await client.unboundToken("nps", userId);
    await client.erase({ respondentId: userId });
    expectStatus(await client.submit({ showToken, surveyId: "nps", rating: 5 }), 201);
  }),
  // A server that breaks this rule may erase the account.
  test("no selector, account beside another one, another value of account, or a bad selector is 400", async (_client, newPerson, service) => {
    const { disposable: client } = service;
    const person = newPerson();
    await client.answer("second-nps", person);
    const wrong: Record<string, string>[] = [{}, { respondentId: "" }, { email: "x" }, { surveySlug: "" }];
    for (const account of ["TRUE", "yes", "0", "false", ""]) wrong.push({ account });
    wrong.push({ account: "true", respondentId: person });
    wrong.push({ account: "true", email: "a@b.example" }, { account: "true", surveySlug: "second-nps-slug" });
    for (const query of wrong)
      expectRefusal(await client.erase(query), 400, "invalid_selectors", JSON.stringify(query));
    for (const call of [{ body: { account: "true" } }, { query: "account=1&account=1" }])
      expectRefusal(await client.server("DELETE", "/v1/privacy/erase", call), 400, "invalid_selectors");
    equal((await client.export({ respondentId: person })).json.count, 1);
  }),
  test("erasing a survey that the project does not have is 404", async (_client, _newPerson, service) => {
    const { disposable: client } = service;
    for (const surveySlug of ["no-slug", "nps-slug"])
      expectRefusal(await client.erase({ surveySlug }), 404, "survey_not_found");
  }),
  test("erasing a survey deletes its responses and dismissals and keeps suppression", async (_client, newPerson, service) => {
    const { disposable: client } = service;
    const [one, two] = [newPerson(), newPerson()];
    await client.erase({ surveySlug: "second-nps-slug" });
    await client.answer("second-nps", one);
    const showToken = await client.unboundToken("second-nps", two);
    await client.dismiss({ showToken, surveyId: "second-nps", userId: two });
    const { json } = await client.erase({ surveySlug: "second-nps-slug" });
    const { note: _, suppressionRetained, ...reply } = json;
    const counts = { responsesDeleted: 1, dismissalsDeleted: 1 };
    deepEqual(reply, { ok: true, mode: "survey", surveySlug: "second-nps-slug", ...counts });
    ok(suppressionRetained >= 2, "suppression is gone after a purge of the survey");
    deepEqual((await client.bootstrap(one)).json.suppression, ["second-nps"]);
  }),
  test("erasing the account deletes all but keys and surveys, and refuses earlier tokens", async (_client, newPerson, service) => {
    const { disposable: client } = service;
    const person = newPerson();
    await client.answer("second-nps", person);
    const outstanding = await client.boundToken("second-csat", { respondentId: newPerson() });
    const { json } = await client.erase({ account: "true" });
    deepEqual([json.ok, json.mode, typeof json.note], [true, "account", "string"]);
    ok(json.responsesDeleted >= 1);
    const late = await client.submit({ showToken: outstanding, surveyId: "second-csat", rating: 5 });
    expectRefusal(late, 401, "token_invalid");
    equal((await client.export()).json.count, 0);
    deepEqual(await client.drain({ includeFailed: "true" }), []);
    const again = (await client.bootstrap(person)).json;
    deepEqual([again.suppression, again.surveys.length > 0], [[], true]);
    ok(again.showTokens.few, "a purge of the account keeps what counts towards a maximum");
  }),
  test("a purge in the middle of submits leaves nothing behind that was answered before it", async (_client, newPerson, service) => {
    const { disposable: client } = service;
    await client.erase({ account: "1" });
    const mint = () => client.boundToken("second-csat", { respondentId: newPerson() });
    const tokens = await Promise.all(Array.from({ length: 40 }, mint));
    const submits = tokens.map((showToken) =>
      client.submit({ showToken, surveyId: "second-csat", rating: 1 }),
    );
    const purge = client.erase({ account: "true" });
    const statuses = (await Promise.all(submits)).map(({ status }) => status);
    equal((await purge).json.responsesDeleted, statuses.filter((status) => status === 201).length);
    ok(statuses.every((status) => status === 201 || status === 401));
    equal((await client.export()).json.count, 0);
  }),
]);
