import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { among, expectRefusal, expectStatus, idsOf, time } from "./expectations.ts";

export const exportClauses = under("4.7 `GET /v1/privacy/export`", [
  test("an export names project, time and count, and has the rows of the person", async (service) => {
    const { first: client, newPerson } = service;
    const respondentId = newPerson();
    const ids = [await client.answer("nps", respondentId), await client.answer("csat", respondentId)];
    const { status, json } = await client.export({ respondentId });
    equal(status, 200);
    ok(typeof json.projectId === "string" && json.projectId !== "");
    match(json.exportedAt, time);
    equal(json.count, 2);
    deepEqual(idsOf(json.responses), ids, "an export is not oldest first");
  }),
  test("an export selects by person, by survey, by both, or everything", async (service) => {
    const { first: client, newPerson } = service;
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
  test("a slug that the project does not have is 404; one without rows, or an unknown person, is empty", async (service) => {
    const { first: client, second, newPerson } = service;
    for (const surveySlug of ["no-slug", "second-nps-slug"])
      expectRefusal(await client.export({ surveySlug }), 404, "survey_not_found", surveySlug);
    const email = `${newPerson()}@example.org`;
    const empty: Record<string, string>[] = [
      { surveySlug: "paused-slug" },
      { respondentId: newPerson() },
      { email },
      { email: ` ${email} ` },
    ];
    for (const query of empty) {
      const { json } = await client.export(query);
      deepEqual([json.count, json.responses], [0, []], Object.keys(query)[0]);
    }
    expectStatus(await second.export({ surveySlug: "second-nps-slug" }), 200);
  }),
  test("an export with an empty or bad selector is 400 invalid_selectors", async ({ first: client }) => {
    const wrong: Record<string, string>[] = [{ respondentId: "" }, { email: "" }, { email: "no address" }];
    wrong.push({ surveySlug: "" }, { account: "1" }, { email: `${"a".repeat(321)}@example.org` });
    for (const query of wrong)
      expectRefusal(await client.export(query), 400, "invalid_selectors", Object.keys(query)[0]);
  }),
]);

export const exportRowClauses = under("2.8 ExportRow", [
  test("a row of an export has what was stored, and the version of the survey", async (service) => {
    const { first: client, newPerson } = service;
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
