import { describe, expect, it } from "vitest";
import { boundsOf, firstBelow, mixed, sampleInOrder, sequenceOf, type Bounds } from "./betting.ts";
import { draw, seeded } from "./samples.fixture.ts";

const error = 0.025;

const rated = (count: number, seed = 7) => {
  const random = seeded(seed);
  const values = [
    [1, 0.6],
    [0.5, 0.1],
    [0, 0.3],
  ] as const;
  return Array.from({ length: count }, () => draw(values, random));
};

/** Capital as the paper writes it, as products, for every mean of a grid; the bounds are the means that are left. */
function byGrid(values: readonly number[], horizon: (answer: number) => number) {
  const means = Array.from({ length: 9999 }, (_, index) => (index + 1) / 10_000);
  const left = means.filter((mean) => {
    let [above, below] = [1, 1];
    const known: number[] = [];
    const deviations: number[] = [];
    for (const [index, value] of values.entries()) {
      const t = index + 1;
      const variance = (0.25 + deviations.reduce((sum, one) => sum + one, 0)) / t;
      const bet = Math.sqrt((2 * Math.log(2 / 0.05)) / (variance * horizon(t)));
      above *= 1 + Math.min(bet, 0.5 / mean) * (value - mean);
      below *= 1 - Math.min(bet, 0.5 / (1 - mean)) * (value - mean);
      if (Math.max(above / 2, below / 2) >= 1 / 0.05) return false;
      known.push(value);
      const estimate = (0.5 + known.reduce((sum, one) => sum + one, 0)) / (t + 1);
      deviations.push((value - estimate) ** 2);
    }
    return true;
  });
  return { low: left[0]!, high: left.at(-1)! };
}

/** Both bounds, rounded to the grid's steps. */
const rounded = ({ low, high }: Bounds) => ({ low: expect.closeTo(low, 3), high: expect.closeTo(high, 3) });

describe("bounds by betting", () => {
  it.each([1, 5, 20, 120])("of %i answers are those of the paper's products on a grid of means", (count) => {
    const values = rated(count);
    const running = byGrid(values, (answer) => answer * Math.log(1 + answer));
    expect(boundsOf(sequenceOf(values, error))).toEqual(rounded(running));
    const complete = byGrid(values, () => values.length);
    expect(boundsOf(sampleInOrder(values, error))).toEqual(rounded(complete));
  });

  it("refute a mean of one half with the tenth answer of 0, when 1.5 to the power of ten is above 40", () => {
    const zeros = sequenceOf(Array(20).fill(0), error);
    expect(firstBelow(zeros, 0.5)).toBe(9);
    expect(firstBelow(sequenceOf(Array(9).fill(0), error), 0.5)).toBeUndefined();
  });

  it("are the ends of the scale without answers", () => {
    expect(boundsOf(sequenceOf([], error))).toEqual({ low: 0, high: 1 });
  });

  it("never widen with more answers", () => {
    const values = rated(400);
    let before = { low: 0, high: 1 };
    for (let count = 0; count <= values.length; count += 20) {
      const now = boundsOf(sequenceOf(values.slice(0, count), error));
      expect(now.low).toBeGreaterThanOrEqual(before.low);
      expect(now.high).toBeLessThanOrEqual(before.high);
      before = now;
    }
  });

  it("of a complete sample are narrower than those of the sequence", () => {
    const width = ({ low, high }: { low: number; high: number }) => high - low;
    const values = rated(1000);
    expect(width(boundsOf(sampleInOrder(values, error)))).toBeLessThan(
      0.8 * width(boundsOf(sequenceOf(values, error))),
    );
  });

  it("stay numbers after 100,000 equal answers", () => {
    for (const value of [0, 0.5, 1]) {
      const { low, high } = boundsOf(sequenceOf(Array(100_000).fill(value), error));
      expect(low).toBeGreaterThan(value - 0.001);
      expect(high).toBeLessThan(value + 0.001);
    }
  });
});

describe("a mixed order", () => {
  it("of a mean that has changed gives bounds with the mean, but for one bound in twenty", () => {
    const random = seeded(3);
    let wrong = 0;
    for (let sample = 0; sample < 200; sample++) {
      const [early, late] = sample % 2 ? [0.9, 0.7] : [0.7, 0.9];
      const values = Array.from({ length: 400 }, (_, index) =>
        Number(random() < (index < 200 ? early! : late!)),
      );
      let now = sample * 86_400_000;
      const times = values.map(() => (now += Math.floor(random() * 600_000)));
      const { low, high } = boundsOf(sampleInOrder(mixed(values, times), error));
      if (low > 0.8 || high < 0.8) wrong++;
    }
    expect(wrong).toBeLessThanOrEqual(10);
  });

  it("stays for the others when some are deleted", () => {
    const times = Array.from({ length: 500 }, (_, index) => Date.UTC(2026, 10, 1) + index * 60_000);
    const isLeft = (time: number) => (time / 60_000) % 10 !== 3;
    const left = times.filter(isLeft);
    expect(mixed(left, left)).toEqual(mixed(times, times).filter(isLeft));
    expect(mixed(times, times)).not.toEqual(times);
  });
});
