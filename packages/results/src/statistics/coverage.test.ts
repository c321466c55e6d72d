import { describe, expect, it } from "vitest";
import { mean, share, shareDifference, type Estimate } from "./estimate.ts";
import { sampleOf, type Sample } from "./sample.ts";
import {
  counted,
  draw,
  independent,
  personSums,
  seeded,
  type Person,
  type Values,
} from "./samples.fixture.ts";

const isFull = process.env["AFTERWORD_PROOFS"] === "full";
const repetitions = isFull ? 10_000 : 500;

/** Each answer is the person's usual one with probability 0.5, so that two answers of a person correlate by 0.25. */
function person(values: Values, answers: number, random: () => number): Person {
  const usual = draw(values, random);
  return Array.from({ length: answers }, () => (random() < 0.5 ? usual : draw(values, random)));
}

const hits = (answers: readonly number[], value: number) => answers.filter((one) => one === value).length;

interface Kind {
  name: string;
  values: Values;
  estimate: (answers: readonly number[], sample: Sample) => Estimate;
}

const kinds: readonly Kind[] = [
  {
    name: "share",
    values: [
      [1, 0.7],
      [0, 0.3],
    ],
    estimate: (answers, sample) => share(hits(answers, 1), sample),
  },
  {
    name: "NPS",
    values: [
      [1, 0.5],
      [0, 0.2],
      [-1, 0.3],
    ],
    estimate: (answers, sample) => shareDifference(hits(answers, 1), hits(answers, -1), sample),
  },
  {
    name: "mean",
    values: [
      [7, 0.3],
      [6, 0.3],
      [5, 0.2],
      [3, 0.1],
      [1, 0.1],
    ],
    estimate: (_, sample) => mean(sample, [1, 7]),
  },
];

/** In how many of a hundred samples the interval has the true value, with answers as independent and by person. */
function coverage({ values, estimate }: Kind, people: number, answers: number) {
  const random = seeded(people * 1000 + answers);
  const truth = values.reduce((sum, [value, probability]) => sum + value * probability, 0);
  const holds = ({ low, high }: Estimate) => Number(low <= truth && truth <= high);
  const held = { independent: 0, byPerson: 0 };
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const sample = Array.from({ length: people }, () => person(values, answers, random));
    const all = sample.flat();
    held.independent += holds(estimate(all, independent(all)));
    held.byPerson += holds(estimate(all, sampleOf(counted(all), personSums(sample))));
  }
  const percent = (count: number) => (100 * count) / repetitions;
  return { independent: percent(held.independent), byPerson: percent(held.byPerson) };
}

const designs = [
  [200, 1, 93, 98],
  [40, 5, 78, 89],
  [20, 10, 65, 79],
  [40, 25, 45, 62],
] as const;

// In full it prints the table of docs/results/scores.md.
describe.each(kinds)("the 95 % interval of a $name, where a person's answers correlate by 0.25,", (kind) => {
  it.each(designs)("covers the truth with %i people of %i answers", (people, answers, least, most) => {
    const { independent: before, byPerson } = coverage(kind, people, answers);
    if (isFull)
      console.log(
        `| ${kind.name} | ${people} x ${answers} | ${before.toFixed(1)} | ${byPerson.toFixed(1)} |`,
      );
    expect(byPerson).toBeGreaterThan(92.5);
    expect(byPerson).toBeLessThan(98.5);
    // Counted as independent, many answers of few people promise too much.
    expect(before).toBeGreaterThan(least);
    expect(before).toBeLessThan(most);
  });
});
