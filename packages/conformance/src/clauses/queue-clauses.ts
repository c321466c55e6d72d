import { deepEqual, equal, ok } from "node:assert/strict";
import { type ApiClient } from "../service/api-client.ts";
import { test, under } from "./clause.ts";
import { among, expectRefusal, expectStatus, idsOf, time } from "./expectations.ts";

/** So many new scores, oldest first. */
export async function scores(client: ApiClient, newPerson: () => string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push(await client.answer("nps", newPerson()));
  return ids;
}

/** What the queue lists of these ids, over all its pages. */
export const listed = async (client: ApiClient, ids: string[], query = {}) =>
  among(await client.drain(query), ids);

export const withFailed = { includeFailed: "true" };

export const queueClauses = under("4.5 `GET /v1/sdk/pending-scores`", [
  test("a page lists 50 scores unless the limit says otherwise, at most 100, oldest first", async (client, newPerson) => {
    const ids = await scores(client, newPerson, 101);
    equal((await client.pending()).json.scores.length, 50);
    for (const limit of ["100", "101", "999999999"]) {
      const { json } = await client.pending({ limit });
      equal(json.scores.length, 100, `a page of limit ${limit} has ${json.scores.length} scores`);
      equal(typeof json.nextCursor, "string");
    }
    deepEqual(await listed(client, ids, { limit: "40" }), ids, "scores are not listed oldest first");
  }),
  test("a limit that is no plain number from 1 on is 400 invalid_query; includeFailed can only be true", async (client) => {
    for (const limit of ["0", "-1", "1.5", "", "abc", "0x10", "01", " 5", "1e1", "9999999999"])
      expectRefusal(await client.pending({ limit }), 400, "invalid_query", JSON.stringify(limit));
    for (const includeFailed of ["false", "TRUE", "1", ""])
      expectRefusal(await client.pending({ includeFailed }), 400, "invalid_query", `"${includeFailed}"`);
  }),
  test("the last page has no nextCursor, even if it is exactly full", async (client, newPerson) => {
    await scores(client, newPerson, 2);
    const all = await client.drain();
    let seen = 0;
    let isLast = false;
    for await (const { json } of client.pages({ limit: String(Math.min(all.length, 100)) })) {
      seen += json.scores.length;
      isLast = !("nextCursor" in json);
      equal(json.scores.length > 0, true, "a page is empty");
    }
    ok(isLast, "the last page has a nextCursor");
    equal(seen, all.length);
    const { nextCursor } = (await client.pending({ limit: "1" })).json;
    ok(nextCursor, "a page before the last has no nextCursor");
  }),
  test("walking while acknowledging sees every score once", async (client, newPerson) => {
    const [erased, ids] = [newPerson(), await scores(client, newPerson, 7)];
    ids.push(await client.answer("nps", erased));
    const seen: string[] = [];
    for await (const { json } of client.pages({ limit: "3" })) {
      const mine = among(json.scores, ids);
      seen.push(...mine);
      if (mine.length > 0) await client.ack(mine.map((id) => ({ id, state: "delivered" })));
      if (mine.includes(ids.at(-1)!)) await client.erase({ respondentId: erased });
    }
    deepEqual(seen, ids);
    deepEqual(await listed(client, ids, withFailed), []);
  }),
  test("a cursor that is edited, made up, or of another includeFailed is 400 invalid_cursor", async (client, newPerson) => {
    await scores(client, newPerson, 2);
    const cursor: string = (await client.pending({ limit: "1" })).json.nextCursor;
    const edited = (cursor[0] === "A" ? "B" : "A") + cursor.slice(1);
    for (const wrong of [edited, `${cursor}A`, cursor.slice(0, -1), "x", "", "💥", `${cursor}=`])
      expectRefusal(await client.pending({ cursor: wrong }), 400, "invalid_cursor", JSON.stringify(wrong));
    expectRefusal(await client.pending({ cursor, ...withFailed }), 400, "invalid_cursor", "includeFailed");
    expectStatus(await client.pending({ cursor }), 200);
  }),
  test("a cursor of another project is 400 invalid_cursor", async (client, newPerson, service) => {
    await scores(client, newPerson, 2);
    const { nextCursor } = (await client.pending({ limit: "1" })).json;
    expectRefusal(await service.second.pending({ cursor: nextCursor }), 400, "invalid_cursor");
  }),
]);

export const scoreClauses = under("2.7 PendingScore", [
  test("a score has its id, survey, time, session, rating and text, and null for what it lacks", async (client, newPerson, service) => {
    const sessionId = service.newId();
    const showToken = await client.boundToken("csat", { respondentId: newPerson(), sessionId });
    const { json } = await client.submit({ showToken, surveyId: "csat", rating: 2, text: "slow" });
    const plain = await client.answer("nps", newPerson());
    const rows = await client.drain();
    const { id, surveyId, at, run: _, ...known } = rows.find((row) => row.id === json.id);
    deepEqual([id, surveyId, at], [json.id, "csat", json.at]);
    ok(time.test(String(at)));
    deepEqual(known, { sessionId, observationId: null, rating: 2, text: "slow", taskType: null });
    equal(rows.find((row) => row.id === plain).text, null);
  }),
]);

export const scoreStateClauses = under("3.2 Score", [
  test("every poll lists a pending score until it is acknowledged as delivered, which is final", async (client, newPerson) => {
    const [id = ""] = await scores(client, newPerson, 1);
    for (let poll = 0; poll < 2; poll++)
      deepEqual(await listed(client, [id]), [id], "a listed score is not listed again");
    const delivered = await client.ack([{ id, state: "delivered" }]);
    deepEqual(delivered.json, { ok: true, updated: 1 });
    for (const state of ["delivered", "failed"]) {
      const { updated } = (await client.ack([{ id, state }])).json;
      equal(updated, 0, `delivered, then ${state}, counts as a change`);
    }
    deepEqual(await listed(client, [id], withFailed), []);
  }),
  test("a failed score is listed with includeFailed=true alone, in its old place; it may be delivered", async (client, newPerson) => {
    const ids = await scores(client, newPerson, 3);
    const [first = "", id = "", third = ""] = ids;
    equal((await client.ack([{ id, state: "failed" }])).json.updated, 1);
    equal((await client.ack([{ id, state: "failed" }])).json.updated, 0);
    deepEqual(await listed(client, ids), [first, third]);
    deepEqual(await listed(client, ids, withFailed), ids);
    equal((await client.ack([{ id, state: "delivered" }])).json.updated, 1);
    deepEqual(await listed(client, ids, withFailed), [first, third]);
  }),
  test("acknowledging an unknown, erased or unlinked score changes and counts nothing", async (client, newPerson) => {
    const person = newPerson();
    const erased = await client.answer("nps", person);
    await client.erase({ respondentId: person });
    const showToken = await client.unboundToken("nps", newPerson());
    const unlinked = (await client.submit({ showToken, surveyId: "nps", rating: 1 })).json.id;
    const ids = [erased, unlinked, "unknown", "💥", "a\u0000b", "a\ud800"];
    const reply = await client.ack(ids.map((id) => ({ id, state: "delivered" })));
    expectStatus(reply, 200);
    deepEqual(reply.json, { ok: true, updated: 0 });
  }),
  test("acknowledgements of one score at the same moment count it once", async (client, newPerson) => {
    const results = (await scores(client, newPerson, 5)).map((id) => ({ id, state: "delivered" }));
    const replies = await Promise.all(Array.from({ length: 10 }, () => client.ack(results)));
    const updated = replies.reduce((sum, { json }) => sum + json.updated, 0);
    equal(updated, 5);
  }),
]);

export const ackClauses = under("4.6 `POST /v1/sdk/pending-scores/ack`", [
  test("an id that appears twice counts once, and delivered beats failed in any order", async (client, newPerson) => {
    const states = ["failed", "delivered"];
    for (const order of [states, states.toReversed()]) {
      const [id = ""] = await scores(client, newPerson, 1);
      equal((await client.ack(order.map((state) => ({ id, state })))).json.updated, 1);
      deepEqual(await listed(client, [id], withFailed), [], "failed beats delivered");
    }
  }),
  test("one bad item refuses the whole request", async (client, newPerson) => {
    const [id = ""] = await scores(client, newPerson, 1);
    const results = [
      { id, state: "delivered" },
      { id: "x", state: "lost" },
    ];
    expectRefusal(await client.ack(results), 400, "invalid_ack");
    deepEqual(await listed(client, [id]), [id], "a refused request has acknowledged a score");
  }),
  test("an acknowledgement has 1 to 200 results with ids of 1 to 128 characters", async (client) => {
    const item = { id: "a", state: "failed" };
    const wrong = [{}, { results: [] }, { results: Array.from({ length: 201 }, () => item) }];
    for (const fields of [{ state: "pending" }, { id: "" }, { id: "a".repeat(129) }, { id: 1 }])
      wrong.push({ results: [{ ...item, ...fields } as typeof item] });
    for (const body of wrong)
      expectRefusal(await client.server("POST", "/v1/sdk/pending-scores/ack", { body }), 400, "invalid_ack");
    const ids = Array.from({ length: 200 }, (_, at) => "💥".repeat(125) + String(at).padStart(3, "0"));
    const longest = ids.map((id) => ({ id, state: "delivered" }));
    deepEqual((await client.ack(longest)).json, { ok: true, updated: 0 });
  }),
  test("another project's score is neither listed nor changed", async (client, newPerson, service) => {
    const [id = ""] = await scores(client, newPerson, 1);
    equal((await service.second.ack([{ id, state: "delivered" }])).json.updated, 0);
    deepEqual(idsOf(await service.second.drain(withFailed)).includes(id), false);
    deepEqual(await listed(client, [id]), [id]);
  }),
]);
