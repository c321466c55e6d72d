import { expect, it } from "vitest";
import { groupsPlot } from "./plots.ts";
import { type GroupResults } from "./survey-results.ts";

const score: GroupResults["score"] = {
  name: "CSAT",
  value: 0.5,
  low: 0.4,
  high: 0.6,
  n: 40,
  people: 12,
  effectiveN: 20,
  isWeighted: false,
};

const group = (key: string): GroupResults => ({
  key,
  responses: 40,
  people: 12,
  withoutPerson: 0,
  dismissals: null,
  answeredShare: null,
  distribution: {},
  score,
  rawScore: score,
  isPartial: false,
  firstAt: null,
  lastAt: null,
  speaksFor: "",
  funnel: null,
  warnings: [],
});

it("a plot shows the name of a task type as text, whatever stands in it", async () => {
  const names = ['<img src=x onerror="alert(1)">&', "</svg><b>refund"];
  const svg = String(await groupsPlot("CSAT", names.map(group)));
  expect(svg).not.toMatch(/<(img|b)\b/);
  expect(svg.match(/<\/svg>/g)).toHaveLength(1);
  expect(svg).toContain("&lt;img src=x");
  expect(svg).toContain("50.0 %, 40 answers of 12 people");
});
