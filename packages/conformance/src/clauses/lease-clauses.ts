import { deepEqual, equal, ok } from "node:assert/strict";
import { type ApiClient } from "../service/api-client.ts";
import { extension, test } from "./clause.ts";
import { among, expectRefusal, idsOf } from "./expectations.ts";
import { scores, withFailed } from "./queue-clauses.ts";

const consumer = (name: string, seconds = 60) => ({ lease: String(seconds), consumer: name });

/** Where the queue begins to list these scores, so that a lease from there on takes no score that was there before. */
async function startOf(client: ApiClient, ids: string[], query: Record<string, string> = {}) {
  const [start = ""] = ids;
  let before = idsOf(await client.drain(query)).indexOf(start);
  ok(before >= 0, "the queue does not list a new score");
  let from: { cursor?: string } = {};
  while (before > 0) {
    const limit = Math.min(before, 100);
    from = { cursor: (await client.pending({ limit: String(limit), ...query, ...from })).json.nextCursor };
    before -= limit;
  }
  return from;
}

/**
 * Two consumers, two new scores, and which of these the queue lists from there on. What the consumers have leased is given
 * back when the clause ends.
 */
async function twoConsumers(client: ApiClient, newPerson: () => string, newId: () => string) {
  const ids = await scores(client, newPerson, 2);
  const from = await startOf(client, ids);
  const listed = async (query: Record<string, string>) =>
    among(await client.drain({ ...from, ...query }), ids);
  const [a, b] = [newId(), newId()];
  const giveBack = async () => {
    for (const name of [a, b]) await client.pending({ ...from, ...consumer(name, 0) });
  };
  return { ids, a, b, from, listed, [Symbol.asyncDispose]: giveBack };
}

export const leaseClauses = extension("leases", "Leases", [
  test("a leased score is kept from other consumers until the lease ends, not from its own or without one", async (client, newPerson, service) => {
    await using leasing = await twoConsumers(client, newPerson, service.newId);
    const { ids, a, b, from, listed } = leasing;
    equal((await client.pending({ ...from, ...consumer(a, 1) })).json.lease, 1);
    deepEqual(await listed(consumer(a, 1)), ids);
    const cursor = (await client.pending({ limit: "1", ...from, ...consumer(a, 1) })).json.nextCursor;
    const bare = await client.pending({ cursor });
    const leased = await client.pending({ cursor, ...consumer(a, 1) });
    deepEqual(bare.json.scores, leased.json.scores, "a cursor leads elsewhere with a lease");
    deepEqual(await listed(consumer(b, 1)), [], "a leased score is listed to another consumer");
    deepEqual(await listed({}), ids);
    await service.wait(1_100);
    deepEqual(await listed(consumer(b, 1)), ids, "an ended lease still keeps scores");
  }),
  test("lease=0 gives back the consumer's scores, acknowledgements ignore and end leases, HEAD takes none", async (client, newPerson, service) => {
    await using leasing = await twoConsumers(client, newPerson, service.newId);
    const { ids, a, b, from, listed } = leasing;
    await client.server("HEAD", "/v1/sdk/pending-scores", { query: { ...from, ...consumer(a) } });
    deepEqual(await listed(consumer(b)), ids, "HEAD has leased scores");
    deepEqual(await listed(consumer(b, 0)), ids, "lease=0 does not list what a lease would");
    deepEqual(await listed(consumer(a)), ids, "lease=0 has not given the scores back");
    const [id = ""] = ids;
    equal((await client.ack([{ id, state: "failed" }])).json.updated, 1);
    const fromThere = { ...withFailed, ...(await startOf(client, ids, withFailed)) };
    const toAnother = among(await client.drain({ ...fromThere, ...consumer(b) }), ids);
    deepEqual(toAnother, [id], "an acknowledged score is still leased");
  }),
  test("a page with a lease says how many scores other consumers hold, and until when", async (client, newPerson, service) => {
    await using leasing = await twoConsumers(client, newPerson, service.newId);
    const { ids, a, b, from } = leasing;
    const read = async (query: Record<string, string>) => (await client.pending(query)).json.leased;
    /** How many of the two scores are leased to a, and when that ends. */
    const heldByA = async (query: Record<string, string> = {}) => {
      const own = await read({ ...query, ...consumer(a, 300) });
      const all = await read({ ...query, ...consumer(b, 0) });
      ok(own && all, "a page with a lease has no `leased`");
      return { count: all.count - own.count, until: Date.parse(all.until) };
    };
    equal(await read(from), undefined, "a page without a lease has `leased`");
    await client.pending({ ...from, ...consumer(a, 60) });
    const before = Date.parse((await read(consumer(b, 0)))?.until);
    const held = await heldByA(from);
    equal(held.count, ids.length, "`leased` counts something else than what others hold");
    ok(held.until > before, "`leased` does not say when the last lease ends");
    await client.ack(ids.slice(0, 1).map((id) => ({ id, state: "failed" })));
    const fromThere = { ...withFailed, ...(await startOf(client, ids, withFailed)) };
    equal((await heldByA(fromThere)).count, ids.length, "a failed score that is listed is not counted");
    equal((await heldByA(from)).count, 1, "a failed score that is not listed is counted");
  }),
  test("lease and consumer belong together and keep their bounds, else 400 invalid_query", async (client, _newPerson, service) => {
    const name = service.newId();
    const wrong: Record<string, string>[] = [{ lease: "60" }, { consumer: name }, consumer(name, 301)];
    wrong.push(consumer(name, -1), consumer(name, 0.5), consumer(""), consumer(name.padEnd(65, "a")));
    for (const query of wrong)
      expectRefusal(await client.pending(query), 400, "invalid_query", JSON.stringify(query));
  }),
]);
