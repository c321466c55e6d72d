import { expect, it } from "vitest";
import { groupsPlot, sparkline, trendPlot } from "./plots.ts";
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

const week = (key: string, score: Partial<GroupResults["score"]> = {}): GroupResults => {
  const one = group(key);
  return { ...one, score: { ...one.score, ...score } };
};

it("dates below a trend leave each other room, also where weeks without answers are left out", async () => {
  const weeks = ["2026-06-01", "2026-06-08", "2026-06-15", "2026-06-22", "2026-08-24"].map((key) =>
    week(key),
  );
  const svg = String(await trendPlot("CSAT", weeks));
  const places = [...svg.matchAll(/<text x="([\d.]+)" y="204"/g)].map(([, x]) => Number(x));
  expect(places.length).toBeGreaterThan(1);
  for (const [index, x] of places.slice(1).entries()) expect(x - places[index]!).toBeGreaterThan(50);
});

it("a trend over more than a year names years", async () => {
  const svg = String(await trendPlot("CSAT", [week("2025-01-06"), week("2026-06-01")]));
  expect(svg).toContain("Jan 2025");
});

it("a score that never changes is drawn in the middle of its sparkline", async () => {
  const always = { name: "CES", value: 7, low: 7, high: 7 } as const;
  const svg = String(await sparkline([week("2026-06-01", always), week("2026-06-08", always)]));
  expect([...svg.matchAll(/cy="([\d.]+)"/g)].map(([, y]) => Number(y))).toEqual([22, 22]);
});
