import { describe, expect, it } from "vitest";
import { boundsOf, firstBelow, sampleInOrder, sequenceOf } from "./betting.ts";
import { draw, seeded, type Values } from "./samples.fixture.ts";

const isFull = process.env["AFTERWORD_PROOFS"] === "full";
const error = 0.025;
const [baselineDays, watchedDays] = [28, 365];

/** Answers on the scale from 0 to 1, as shares, NPS and means have them. */
const kinds = {
  CSAT: [
    [1, 0.8],
    [0, 0.2],
  ],
  NPS: [
    [1, 0.5],
    [0.5, 0.2],
    [0, 0.3],
  ],
  CES: [
    [1, 0.3],
    [5 / 6, 0.3],
    [4 / 6, 0.2],
    [2 / 6, 0.1],
    [0, 0.1],
  ],
} satisfies Record<string, Values>;
type Kind = keyof typeof kinds;

const meanOf = (values: Values) => values.reduce((sum, [value, share]) => sum + value * share, 0);

/** The same answers, of which so many became the worst that the mean has fallen by so many standard deviations. */
function worse(values: Values, deviations: number): Values {
  const mean = meanOf(values);
  const deviation = Math.sqrt(values.reduce((sum, [value, share]) => sum + (value - mean) ** 2 * share, 0));
  const changed = (deviations * deviation) / mean;
  const kept = values.map(([value, share]) => [value, share * (1 - changed)] as const);
  return [[0, changed], ...kept];
}

interface Stream {
  kind: Kind;
  /** In standard deviations of an answer. */
  drop: number;
  answersPerDay: number;
}

/** The number of the answer that raises the alarm; looked at after each answer, so also each day. */
function alarmOf({ kind, drop, answersPerDay }: Stream, random: () => number): number | undefined {
  const [before, after] = [kinds[kind], worse(kinds[kind], drop)];
  const answers = (values: Values, days: number) =>
    Array.from({ length: days * answersPerDay }, () => draw(values, random));
  const baseline = boundsOf(sampleInOrder(answers(before, baselineDays), error));
  const index = firstBelow(sequenceOf(answers(after, watchedDays), error), baseline.low);
  return index === undefined ? undefined : index + 1;
}

function alarms(stream: Stream, streams: number): number[] {
  const random = seeded(1 + stream.answersPerDay);
  return Array.from({ length: streams }, () => alarmOf(stream, random) ?? Infinity).toSorted((a, b) => a - b);
}

const print = (cells: readonly (string | number)[]) => isFull && console.log(`| ${cells.join(" | ")} |`);

// In full it prints the tables of docs/results/watching.md.
describe("a score that is watched every day for a year", { timeout: 300_000 }, () => {
  it.each(Object.keys(kinds) as Kind[])(
    "raises a false alarm in at most one stream of %s in twenty",
    (kind) => {
      for (const answersPerDay of [5, 20]) {
        const streams = isFull ? 10_000 : 200;
        const found = alarms({ kind, drop: 0, answersPerDay }, streams);
        const share = found.filter(Number.isFinite).length / streams;
        print([kind, answersPerDay, `${(100 * share).toFixed(2)} %`]);
        expect(share).toBeLessThanOrEqual(0.05);
      }
    },
  );

  it.each([
    { drop: 0.1, answersPerDay: 20, least: 0 },
    { drop: 0.1, answersPerDay: 100, least: 0.2 },
    { drop: 0.1, answersPerDay: 500, least: 0.99 },
    { drop: 0.2, answersPerDay: 20, least: 0.5 },
    { drop: 0.2, answersPerDay: 100, least: 0.99 },
    { drop: 0.2, answersPerDay: 500, least: 0.99 },
    { drop: 0.5, answersPerDay: 20, least: 0.99 },
    { drop: 0.5, answersPerDay: 100, least: 0.99 },
    { drop: 0.5, answersPerDay: 500, least: 0.99 },
  ])(
    "finds a drop of $drop standard deviations at $answersPerDay answers a day",
    ({ drop, answersPerDay, least }) => {
      const streams = isFull ? 1000 : Math.max(8, 800 / answersPerDay);
      const found = alarms({ kind: "CSAT", drop, answersPerDay }, streams);
      const share = found.filter(Number.isFinite).length / streams;
      const delay = (quantile: number) => {
        const answers = found[Math.ceil(quantile * streams) - 1]!;
        if (answers === Infinity) return "not within a year";
        return `day ${Math.ceil(answers / answersPerDay)}, answer ${answers}`;
      };
      print([drop, answersPerDay, `${(100 * share).toFixed(0)} %`, delay(0.5), delay(0.9)]);
      expect(share).toBeGreaterThanOrEqual(least);
    },
  );
});
