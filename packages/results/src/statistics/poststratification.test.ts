import { describe, expect, it } from "vitest";
import { effectiveAnswers, share } from "./estimate.ts";
import { linearised, linearisedCovariance, mergeThin, poststratifiedSample } from "./poststratification.ts";
import { correlation, type Sample } from "./sample.ts";
import { counted, covariance, sampleOfPeople, type Person } from "./samples.fixture.ts";

type Runs = Readonly<Record<string, number>>;
/** What a person answered, by the class of the run. */
type Answer = readonly [name: string, value: number];

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function weightsOf(runs: Runs, people: readonly (readonly Answer[])[]) {
  const all = sum(Object.values(runs));
  const classes = Object.entries(runs).map(([name, count]) => {
    const values = people.flat().flatMap(([own, value]) => (own === name ? [value] : []));
    const answers = values.length;
    return { name, values, answers, ...linearised({ runs: count, answers }, all, counted(values)) };
  });
  const residual = (answers: readonly Answer[]) =>
    sum(
      answers.map(([own, value]) => {
        const { factor, mean } = classes.find(({ name }) => name === own)!;
        return factor * (value - mean);
      }),
    );
  return { classes, residual };
}

function sampleOfClasses(runs: Runs, people: readonly (readonly Answer[])[]): Sample {
  const { classes, residual } = weightsOf(runs, people);
  const n = people.flat().length;
  const weighted = classes.flatMap(({ values, factor }) =>
    values.map((value) => [value, factor * n] as const),
  );
  const squares = sum(people.map((answers) => residual(answers) ** 2));
  const factors = classes.map(({ factor, answers }) => [factor, answers] as const);
  return poststratifiedSample(weighted, factors, { people: people.length, squares });
}

// 80 runs, of which 1, 1, 1 and 0 were answered; 20 runs, of which 0 and 1 were.
const runs = { ok: 80, failed: 20 };
const people: Answer[][] = [
  [
    ["ok", 1],
    ["failed", 0],
  ],
  [["ok", 1]],
  [
    ["ok", 1],
    ["ok", 0],
  ],
  [["failed", 1]],
];

describe("a mean with known class sizes", () => {
  it("weighs each class by its runs: 0.8 * 0.75 + 0.2 * 0.5", () => {
    expect(sampleOfClasses(runs, people).mean).toBeCloseTo(0.7, 12);
  });

  it("varies by the residuals of people from the means of classes", () => {
    // Sums of the four: 0.2 * 0.25 - 0.1 * 0.5, 0.05, 0.05 - 0.15 and 0.05; their squares add up to 0.015, times 4/3.
    expect(sampleOfClasses(runs, people).clusteredVariance).toBeCloseTo(0.02, 12);
    // Of one answer: 0.7 * 0.3 * 6/5.
    expect(sampleOfClasses(runs, people).variance).toBeCloseTo(0.252, 12);
  });

  it("is the plain mean, with its variance, where all answers weigh the same", () => {
    const alike: Answer[][] = people.map((answers) => answers.map(([, value]) => ["all", value]));
    const plain = sampleOfPeople(alike.map((answers) => answers.map(([, value]) => value)));
    const found = sampleOfClasses({ all: 1234 }, alike);
    expect(found.mean).toBeCloseTo(plain.mean, 12);
    expect(found.variance).toBeCloseTo(plain.variance, 12);
    expect(found.clusteredVariance).toBeCloseTo(plain.clusteredVariance, 12);
    expect(share(found.mean * 6, found).low).toBeCloseTo(share(4, plain).low, 12);
  });

  it("that nothing varies in counts answers as their weights, and never more than the people", () => {
    const all = (name: string, count: number) => Array.from({ length: count }, (): Answer[] => [[name, 1]]);
    const uneven = sampleOfClasses({ ok: 900, failed: 100 }, [...all("ok", 10), ...all("failed", 10)]);
    expect(uneven.clusteredVariance).toBe(0);
    // (900 + 100)² / (10 * 90² + 10 * 10²).
    expect(effectiveAnswers(uneven)).toBeCloseTo(1e6 / 82_000, 9);
    const often = sampleOfClasses({ ok: 900 }, [all("ok", 30).flat(), all("ok", 30).flat()]);
    expect(effectiveAnswers(often)).toBeCloseTo(2, 9);
  });

  it("of one person has no variance to go by", () => {
    const one = sampleOfClasses(runs, [people.flat()]);
    expect(one.clusteredVariance).toBe(0);
    expect(effectiveAnswers(one)).toBeLessThanOrEqual(1);
  });

  it("correlates with another by the people who answered for both", () => {
    const pairs: [Person, Person][] = [
      [[1, 0], [1]],
      [[0], [0, 0]],
      [
        [1, 1],
        [1, 0],
      ],
    ];
    const sides = [0, 1].map((side) =>
      pairs.map((pair) => pair[side]!.map((value): Answer => ["all", value])),
    );
    const [first, second] = sides.map((side) => sampleOfClasses({ all: 50 }, side));
    const residuals = sides.map((side) => side.map(weightsOf({ all: 50 }, side).residual));
    const products = sum(residuals[0]!.map((one, index) => one * residuals[1]![index]!));
    const plain = [0, 1].map((side) => sampleOfPeople(pairs.map((pair) => pair[side]!)));
    const found = linearisedCovariance(first!, second!, products);
    expect(found).toBeCloseTo(covariance(plain[0]!, plain[1]!, pairs), 12);
    expect(Math.abs(correlation(first!, second!, found))).toBeLessThanOrEqual(1);
  });
});

describe("classes of a stratum", () => {
  const merged = (...classes: [runs: number, answers: number][]) => {
    const named = classes.map(([all, answers]) => ({ runs: all, answers }));
    const found = mergeThin(named);
    return [found.own.map(({ answers }) => answers), found.merged.map(({ answers }) => answers)];
  };

  it("keep their weight with 10 answers, and are merged below that", () => {
    expect(merged([100, 10], [100, 9], [100, 40], [100, 4])).toEqual([
      [40, 10],
      [9, 4],
    ]);
  });

  it("that are merged take in the smallest other one while they have fewer than 10 together", () => {
    expect(merged([100, 12], [100, 3], [100, 40], [50, 0])).toEqual([[40], [3, 0, 12]]);
    expect(merged([100, 12], [5, 3])).toEqual([[], [3, 12]]);
    expect(merged([100, 4])).toEqual([[], [4]]);
  });

  it("are merged where more was answered than run, as when answers come days later", () => {
    expect(merged([100, 20], [0, 15], [400, 30])).toEqual([[30], [15, 20]]);
  });

  it("are at most 51, of which the last holds the smallest ones", () => {
    const [own, others] = merged(
      ...Array.from({ length: 90 }, (_, index): [number, number] => [200, 10 + index]),
    );
    expect([own!.length, own!.at(-1), others!.length]).toEqual([50, 50, 40]);
  });
});
