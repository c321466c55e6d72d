import { deepEqual, equal } from "node:assert/strict";
import { test, under } from "./clause.ts";
import { expectRefusal, idsOf } from "./expectations.ts";
import { listed, scores, withFailed } from "./queue-clauses.ts";

export const ackClauses = under("4.6 `POST /v1/sdk/pending-scores/ack`", [
  test("an id that appears twice counts once, and delivered beats failed in any order", async (service) => {
    for (const states of [
      ["failed", "delivered"],
      ["delivered", "failed"],
    ]) {
      const [id = ""] = await scores(service, 1);
      equal((await service.first.ack(states.map((state) => ({ id, state })))).json.updated, 1);
      deepEqual(await listed(service.first, [id], withFailed), [], "failed beats delivered");
    }
  }),
  test("one bad item refuses the whole request", async (service) => {
    const [id = ""] = await scores(service, 1);
    const results = [
      { id, state: "delivered" },
      { id: "x", state: "lost" },
    ];
    expectRefusal(await service.first.ack(results), 400, "invalid_ack");
    deepEqual(await listed(service.first, [id]), [id], "a refused request has acknowledged a score");
  }),
  test("an acknowledgement has 1 to 200 results with ids of 1 to 128 characters", async (service) => {
    const { first: client } = service;
    const item = { id: "a", state: "failed" };
    const wrong = [{}, { results: [] }, { results: Array.from({ length: 201 }, () => item) }];
    for (const fields of [{ state: "pending" }, { id: "" }, { id: "a".repeat(129) }, { id: 1 }])
      wrong.push({ results: [{ ...item, ...fields } as typeof item] });
    for (const body of wrong)
      expectRefusal(await client.server("POST", "/v1/sdk/pending-scores/ack", { body }), 400, "invalid_ack");
    const longest = Array.from({ length: 200 }, (_, at) => ({
      id: "💥".repeat(125) + String(at).padStart(3, "0"),
      state: "delivered",
    }));
    deepEqual((await client.ack(longest)).json, { ok: true, updated: 0 });
  }),
  test("another project's score is neither listed nor changed", async (service) => {
    const [id = ""] = await scores(service, 1);
    equal((await service.second.ack([{ id, state: "delivered" }])).json.updated, 0);
    deepEqual(idsOf(await service.second.drain(withFailed)).includes(id), false);
    deepEqual(await listed(service.first, [id]), [id]);
  }),
]);
