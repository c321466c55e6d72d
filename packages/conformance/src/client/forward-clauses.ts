import { deepEqual, equal, ok } from "node:assert/strict";
import { under } from "../clauses/clause.ts";
import { expectPatience, expectSecretKey, test } from "./client-expectations.ts";
import { type ClientUnderTest } from "./client-under-test.ts";
import * as fault from "./faults.ts";

/** Lets the client empty a queue of so many scores once. */
async function play(client: ClientUnderTest, count: number, faults: fault.Faults = {}) {
  const answers = Array.from({ length: count }, () => ({ rating: 4 }));
  const played = await client.play({ faults, answers });
  const pushed = new Set(played.to("sink").map(({ json }) => String(json?.id)));
  return { ...played, polls: played.to("queue"), acks: played.to("ack"), pushed };
}

type Forwarded = Awaited<ReturnType<typeof play>>;

function expectAllDelivered({ ids, states, pushed }: Forwarded): void {
  deepEqual(pushed, new Set(ids), "not every score was pushed, or one under another id");
  const delivered = ids.filter((_id, at) => states[at] === "delivered");
  deepEqual(delivered, ids, "not every score is acknowledged as delivered");
}

export const forwardClauses = under<ClientUnderTest>("4.5 `GET /v1/sdk/pending-scores`", [
  test("a forwarder begins without a cursor, follows the cursors, and acknowledges what it has pushed", async (client) => {
    const played = await play(client, 230);
    const { polls, acks } = played;
    equal(polls[0]?.query.has("cursor"), false, "the first poll has a cursor");
    [...polls, ...acks].forEach(expectSecretKey);
    expectAllDelivered(played);
    equal(acks.filter(({ status }) => status !== 200).length, 0, "an acknowledgement is refused");
    return polls.some(({ query }) => query.has("lease")) ? "leases what it lists" : "takes no leases";
  }),
  test("a page that repeats its cursor does not keep the forwarder forever", async (client) => {
    const nextCursor = "same";
    const first = fault.changed(() => ({ nextCursor }));
    const queue: fault.Fault = (pass, request, ids) =>
      request.query.has("cursor") ? fault.replaced({ scores: [], nextCursor })() : first(pass, request, ids);
    const { polls, pushed, ids } = await play(client, 3, { queue });
    ok(polls.length < 50, `${polls.length} polls of a page that repeats its cursor`);
    deepEqual(pushed, new Set(ids));
  }),
  test("a score with unknown fields, or without those that may be null, is pushed", async (client) => {
    const bare = (score: object) =>
      Object.fromEntries(Object.entries(score).filter(([, value]) => value !== null));
    const queue = fault.changed(({ scores: [first, ...rest] }) => ({
      scores: [...(first ? [{ ...first, mood: { deep: [null] } }] : []), ...rest.map(bare)],
      total: 3,
    }));
    const { pushed, ids } = await play(client, 3, { queue });
    deepEqual(pushed, new Set(ids));
  }),
  test("after a 429 the forwarder waits at least as long as Retry-After says", async (client) =>
    expectPatience((await play(client, 1, { queue: [fault.limited] })).polls)),
  test("a page that is lost, cut or an intermediary's pushes nothing unlisted, and acknowledges nothing", async (client) => {
    for (const queue of [fault.lost, fault.cut, fault.intercepted(200), fault.replaced({ unknown: 1 })]) {
      const { pushed, acks } = await play(client, 2, { queue });
      deepEqual([pushed.size, acks.length], [0, 0]);
    }
  }),
  test("a slow page is read to its end", async (client) =>
    expectAllDelivered(await play(client, 20, { queue: fault.slow }))),
  test("a forwarder whose key is refused ends, and pushes nothing", async (client) => {
    const { polls, pushed } = await play(client, 1, { queue: fault.refused(401, "secret_key_required") });
    ok(polls.length <= 5, `${polls.length} polls with a refused key`);
    equal(pushed.size, 0);
  }),
]);

/** A destination that does not take the second score. */
const refusingSecond =
  (status: number, code: string): fault.Fault =>
  (pass, { json }, ids) =>
    json?.id === ids[1] ? fault.refused(status, code)() : pass();

export const deliveryClauses = under<ClientUnderTest>("3.2 Score", [
  test("a score that the destination does not take for now is not acknowledged, and the others are", async (client) => {
    const { states } = await play(client, 3, { sink: refusingSecond(503, "busy") });
    equal(states[1], "pending", "a score that was not pushed is acknowledged");
    const others = states.filter((state) => state === "delivered").length;
    return others === 2 ? "pushes the others" : "stops at the first failure";
  }),
  test("a score that the destination refuses for good is never acknowledged as delivered", async (client) => {
    const { states } = await play(client, 3, { sink: refusingSecond(422, "no such run") });
    ok(states[1] !== "delivered", "a refused score is acknowledged as delivered");
    return states[1] === "failed" ? "acknowledges it as failed" : "leaves it pending";
  }),
  test("a lost reply to an acknowledgement costs nothing: the same id is pushed or acknowledged again", async (client) => {
    const { pushed, ids, states } = await play(client, 2, { ack: [fault.lost] });
    for (const id of pushed) ok(ids.includes(id), "a score is pushed under another id");
    equal(states[0], "delivered");
  }),
]);
