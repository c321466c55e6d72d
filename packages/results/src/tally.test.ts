import { describe, expect, it } from "vitest";
import { type AnswerRow, runMark } from "./store/results-reader.ts";
import { readAnswers } from "./answers.ts";
import { tally, type Grouping } from "./tally.ts";

const monday = Date.UTC(2026, 10, 16);
const values = new Map([["survey-1", Array.from({ length: 11 }, (_, rating) => rating)]]);

type Given = [person: string | null, rating: number, version: string | null, at?: number, survey?: string];

async function* rowsOf(given: readonly Given[]): AsyncGenerator<AnswerRow[]> {
  for (const [person, rating, version, at = monday, survey = "survey-1"] of given)
    yield [[person, rating + runMark, at, survey, version]];
}

const read = (given: readonly Given[]) => readAnswers(rowsOf(given), ["version"]);
const byVersion: Grouping = { keyOf: ({ values: { version } }) => version ?? null };
const whole: Grouping = { keyOf: () => null };

describe("a tally", () => {
  it("adds up the answers of each person, and counts one without a person as a person", async () => {
    const given: Given[] = [
      ["ada", 1, null],
      ["bob", 3, null],
      [null, 2, null],
      ["ada", 4, null],
      [null, 2, null],
      ["ada", 5, null, monday, "survey-2"],
    ];
    const [first, second] = tally(await read(given), values, whole);
    // Ada: weight 2, value 5. Bob: 1 and 3. Two without a name: 1 and 2 each.
    expect(first).toMatchObject({
      surveyId: "survey-1",
      counts: [0, 1, 2, 1, 1, 0, 0, 0, 0, 0, 0],
      withoutPerson: 2,
      sums: { people: 4, squaredWeights: 7, weightsTimesValues: 17, squaredValues: 42 },
    });
    // Values of this survey are not asked for.
    expect(second).toMatchObject({ surveyId: "survey-2", sums: { people: 1, squaredWeights: 1 } });
  });

  it("is of each week, and of what is within a period", async () => {
    const given: Given[] = [
      ["ada", 5, null, monday],
      ["ada", 2, null, monday - 1],
    ];
    const answers = await read(given);
    const isLater = { isByTime: true, keyOf: (_: unknown, at: number) => Number(at >= monday) };
    const told = tally(answers, values, isLater).map(({ key, sums }) => [key, sums.squaredValues]);
    expect(told.sort()).toEqual([
      [0, 4],
      [1, 25],
    ]);
    expect(tally(answers.within(monday, monday + 1), values, whole)).toMatchObject([
      { sums: { people: 1 }, firstAt: monday, lastAt: monday },
    ]);
  });

  it("adds residuals up by person, those of answers without any apart", async () => {
    const given: Given[] = [
      ["ada", 5, "2.4"],
      ["ada", 2, "2.5"],
      ["bob", 4, "2.6"],
      [null, 3, "2.5"],
    ];
    const residuals: Record<string, { factor: number; mean: number }> = {
      "2.4": { factor: 0.5, mean: 3 },
      "2.5": { factor: 0.25, mean: 4 },
    };
    const residualOf: Grouping["residualOf"] = ({ values: { version } }) => residuals[version!];
    const [all] = tally(await read(given), values, { ...whole, residualOf });
    // Ada: 0.5 * 2 - 0.25 * 2. The one without a name: -0.25.
    expect(all!.linearised).toEqual({ people: 2, squares: 0.25 + 0.0625 });
    expect(tally(await read(given), values, whole)[0]!.linearised).toEqual({ people: 0, squares: 0 });
  });

  it("has the products of people who answered for the baseline too, whichever came first", async () => {
    const given: Given[] = [
      ["ada", 4, "2.5"],
      ["ada", 5, "2.4"],
      ["ada", 3, "2.4"],
      ["bob", 4, "2.4"],
      ["bob", 5, "2.6"],
      ["eve", 1, "2.5"],
      [null, 1, "2.4"],
      [null, 1, "2.5"],
    ];
    const means: Record<string, number> = { "2.4": 3, "2.5": 2, "2.6": 4 };
    const residualOf: Grouping["residualOf"] = (_, version) => ({ factor: 1, mean: means[version!]! });
    const found = tally(await read(given), values, { ...byVersion, baseline: "2.4", residualOf });
    const shared = Object.fromEntries(found.map(({ key, shared: own }) => [key, own]));
    // Ada: 2 for the baseline, 2. Bob: 1 and 1.
    expect(shared).toEqual({
      "2.4": { people: 0, products: 0 },
      "2.5": { people: 1, products: 4 },
      "2.6": { people: 1, products: 1 },
    });
  });
});
