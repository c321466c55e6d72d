import { describe, expect, it } from "vitest";
import { normalProbability, tProbability, tQuantile, z } from "./quantiles.ts";

describe("a quantile of Student's t", () => {
  // Fisher and Yates 1963, Statistical Tables for Biological, Agricultural and Medical Research, table III, P = 0.05.
  it.each([
    [1, 12.706],
    [2, 4.303],
    [9, 2.262],
    [30, 2.042],
    [120, 1.98],
  ])("of %i degrees of freedom is the table's %f", (freedom, value) => {
    expect(tQuantile(freedom)).toBeCloseTo(value, 3);
  });

  it("nears the normal distribution's with many degrees of freedom", () => {
    expect(tQuantile(999_999)).toBeCloseTo(z, 5);
  });
});

describe("a two-sided probability", () => {
  it("is that of the tables, normal or by Student's t", () => {
    expect(normalProbability(1.96)).toBeCloseTo(0.05, 4);
    expect(tProbability(2.262, 9)).toBeCloseTo(0.05, 4);
    expect(tProbability(0, 9)).toBeCloseTo(1, 9);
  });
});
