import { describe, expect, it } from "vitest";
import { holm } from "./difference.ts";

describe("Holm's correction", () => {
  it("stops at the first probability that is too large for its rank", () => {
    // The worked example of https://en.wikipedia.org/wiki/Holm-Bonferroni_method.
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([true, false, false, true]);
  });

  it("rejects all or none where all or none are small", () => {
    expect(holm([0.001, 0.001])).toEqual([true, true]);
    expect(holm([0.2, 0.03])).toEqual([false, false]);
    expect(holm([])).toEqual([]);
  });
});
