import { expect, it } from "vitest";
import { eachErasure } from "./each-score.ts";
import { untilAborted } from "./score.fixture.ts";

it("deletions are under way four at a time, and answered in the order of the scores", async () => {
  let underWay = 0;
  let most = 0;
  const erase = eachErasure(async (score: number) => {
    most = Math.max(most, (underWay += 1));
    // Later ones are done sooner.
    for (let turn = score; turn < 12; turn += 1) await Promise.resolve();
    underWay -= 1;
    return score * 10;
  });
  const scores = Array.from({ length: 11 }, (_, index) => index);
  expect(await erase(scores, untilAborted())).toEqual(scores.map((score) => score * 10));
  expect(most).toBe(4);
});
