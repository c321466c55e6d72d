import { writeFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { afterAll, describe, expect, it } from "vitest";
import { mean, share, shareDifference, type Estimate } from "./estimate.ts";
import { linearised, poststratifiedSample } from "./poststratification.ts";
import { sampleOf, type Sample, type ValueCounts } from "./sample.ts";
import { counted, personSums, seeded } from "./samples.fixture.ts";

const isFull = process.env["AFTERWORD_PROOFS"] === "full";
const repetitions = isFull ? 10_000 : 400;

/** Values with their probabilities. */
type Values = readonly (readonly [value: number, probability: number])[];

interface Kind {
  name: string;
  /** Of runs that went well, and of failed ones. */
  values: readonly [Values, Values];
  estimate: (counts: ValueCounts, sample: Sample) => Estimate;
}

const countOf = (counts: ValueCounts, wanted: number) =>
  counts.reduce((sum, [value, count]) => (value === wanted ? sum + count : sum), 0);

const kinds: readonly Kind[] = [
  {
    name: "share",
    values: [
      [
        [1, 0.8],
        [0, 0.2],
      ],
      [
        [1, 0.3],
        [0, 0.7],
      ],
    ],
    estimate: (counts, sample) => share(countOf(counts, 1), sample),
  },
  {
    name: "NPS",
    values: [
      [
        [1, 0.55],
        [0, 0.25],
        [-1, 0.2],
      ],
      [
        [1, 0.15],
        [0, 0.25],
        [-1, 0.6],
      ],
    ],
    estimate: (counts, sample) => shareDifference(countOf(counts, 1), countOf(counts, -1), sample),
  },
  {
    name: "mean",
    values: [
      [
        [7, 0.4],
        [6, 0.3],
        [4, 0.2],
        [2, 0.1],
      ],
      [
        [6, 0.2],
        [4, 0.3],
        [2, 0.3],
        [1, 0.2],
      ],
    ],
    estimate: (_, sample) => mean(sample, [1, 7]),
  },
];

/** One run in ten fails; answers are about failed runs in two of five cases, since more of those are asked about. */
const runs = [9000, 1000] as const;
const answeredFailed = 0.4;

interface Answer {
  isFailed: boolean;
  value: number;
}

function quantile(values: Values, at: number): number {
  let left = at;
  for (const [value, probability] of values) if ((left -= probability) < 0) return value;
  return values.at(-1)![0];
}

/** In each answer a person has the usual mood with probability 0.5, so that moods of a person correlate by 0.25. */
function person({ values }: Kind, answers: number, random: () => number): Answer[] {
  const usual = random();
  return Array.from({ length: answers }, () => {
    const isFailed = random() < answeredFailed;
    const mood = random() < 0.5 ? usual : random();
    return { isFailed, value: quantile(values[Number(isFailed)]!, mood) };
  });
}

const valuesOf = (answers: readonly Answer[]) => answers.map(({ value }) => value);

function raw({ estimate }: Kind, people: readonly Answer[][]): Estimate {
  const counts = counted(valuesOf(people.flat()));
  return estimate(counts, sampleOf(counts, personSums(people.map(valuesOf))));
}

/** Nothing if a class has no answers: its runs would be left out, and the score would be another one. */
function weighted({ estimate }: Kind, people: readonly Answer[][]): Estimate | undefined {
  const all = people.flat();
  const classes = runs.map((count, index) => {
    const counts = counted(valuesOf(all.filter(({ isFailed }) => Number(isFailed) === index)));
    const answers = counts.reduce((sum, [, own]) => sum + own, 0);
    return { counts, answers, ...linearised({ runs: count, answers }, runs[0] + runs[1], counts) };
  });
  if (classes.some(({ answers }) => answers === 0)) return undefined;
  const residual = ({ isFailed, value }: Answer) => {
    const { factor, mean: ofClass } = classes[Number(isFailed)]!;
    return factor * (value - ofClass);
  };
  const sums = people.map((answers) => answers.reduce((sum, answer) => sum + residual(answer), 0));
  const squares = sums.reduce((sum, one) => sum + one ** 2, 0);
  const counts = classes.flatMap((own) =>
    own.counts.map(([value, count]) => [value, count * own.factor * all.length] as const),
  );
  const factors = classes.map(({ factor, answers }) => [factor, answers] as const);
  return estimate(counts, poststratifiedSample(counts, factors, { people: people.length, squares }));
}

/** In how many of a hundred samples the interval has the score of all runs. */
function coverage(kind: Kind, people: number, answers: number) {
  const random = seeded(people * 1000 + answers);
  const truth = runs
    .map((count, index) =>
      kind.values[index]!.reduce((sum, [value, probability]) => sum + count * value * probability, 0),
    )
    .reduce((sum, one) => sum + one / (runs[0] + runs[1]), 0);
  const holds = ({ low, high }: Estimate) => low <= truth && truth <= high;
  const held = { raw: 0, weighted: 0 };
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const sample = Array.from({ length: people }, () => person(kind, answers, random));
    if (holds(raw(kind, sample))) held.raw += 1;
    if (holds(weighted(kind, sample)!)) held.weighted += 1;
  }
  return { raw: (100 * held.raw) / repetitions, weighted: (100 * held.weighted) / repetitions };
}

const designs = [
  [200, 1],
  [40, 5],
  [20, 10],
  [40, 25],
] as const;

interface Row {
  kind: string;
  design: string;
  score: "raw" | "weighted";
  coverage: number;
}

/** For a document: on white, and in colours of its own. */
function plot(rows: readonly Row[]): string {
  const svg = Plot.plot({
    document: parseHTML("<html></html>").document,
    width: 640,
    height: 420,
    marginLeft: 80,
    marginBottom: 48,
    marginRight: 60,
    style: {
      background: "white",
      color: "#1d2330",
      padding: "8px",
      fontFamily: "sans-serif",
      fontSize: "12px",
    },
    x: {
      labelOffset: 40,
      label: "samples whose interval has the true score (%); circle: weighted, cross: raw",
      domain: [0, 100],
      grid: true,
    },
    y: { label: null, domain: designs.map(([people, answers]) => `${people} x ${answers}`) },
    fy: { label: null, domain: kinds.map(({ name }) => name) },
    symbol: { domain: ["raw", "weighted"], range: ["times", "circle"], legend: false },
    marks: [
      Plot.ruleX([95], { stroke: "#566074", strokeDasharray: "4 3" }),
      Plot.dot(rows, {
        x: "coverage",
        y: "design",
        fy: "kind",
        symbol: "score",
        stroke: "#3a55c4",
        strokeWidth: 2,
        r: 4,
      }),
    ],
  });
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return `${svg.outerHTML}\n`;
}

const rows: Row[] = [];
const picture = new URL("../../../../docs/results/weighted-coverage.svg", import.meta.url);
afterAll(() => {
  if (isFull) writeFileSync(picture, plot(rows));
});

// In full it prints the table of docs/results/weighted-scores.md, and draws its picture.
describe.each(kinds)("of runs with known numbers, the weighted 95 % interval of a $name", (kind) => {
  it.each(designs)("has the score of all runs, with %i people of %i answers", (people, answers) => {
    const found = coverage(kind, people, answers);
    const row = { kind: kind.name, design: `${people} x ${answers}` };
    rows.push(
      { ...row, score: "raw", coverage: found.raw },
      { ...row, score: "weighted", coverage: found.weighted },
    );
    if (isFull)
      console.log(
        `| ${kind.name} | ${people} x ${answers} | ${found.raw.toFixed(1)} | ${found.weighted.toFixed(1)} |`,
      );
    expect(found.weighted).toBeGreaterThan(92);
    expect(found.weighted).toBeLessThan(98);
    // Failed runs are asked about more often: the raw score is that of other runs.
    expect(found.raw).toBeLessThan(60);
  });
});
