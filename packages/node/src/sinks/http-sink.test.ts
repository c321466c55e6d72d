import { expect, it } from "vitest";
import { eraseEach, httpSink } from "./http-sink.ts";
import { untilAborted } from "./score.fixture.ts";

it("deletions are under way four at a time, and their outcomes are in the order of the scores", async () => {
  let underWay = 0;
  let most = 0;
  const { eraseScores } = httpSink(
    {},
    {
      name: "example",
      baseUrl: "https://example.test",
      deliver: async () => ({ outcome: "delivered" }),
      accepts: () => true,
      probes: [],
      examined: "nothing",
      erase: eraseEach(async ({ id }) => {
        most = Math.max(most, (underWay += 1));
        // Later ones are done sooner.
        for (let turn = Number(id); turn < 12; turn += 1) await Promise.resolve();
        underWay -= 1;
        return { outcome: "failed", reason: id };
      }),
    },
  );
  const ids = Array.from({ length: 11 }, (_, index) => String(index));
  const scores = ids.map((id) => ({ id, surveyId: null, name: null, at: null }));
  const outcomes = await eraseScores?.(scores, untilAborted());
  expect(outcomes).toEqual(ids.map((id) => ({ outcome: "failed", reason: id })));
  expect(most).toBe(4);
});
