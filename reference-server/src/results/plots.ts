import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { ratingScales } from "@afterword/protocol";
import { answersText } from "./numbers.ts";
import { scoreRanges, type ScoreName } from "./rating-values.ts";
import { type GroupResults, type SurveyResults } from "./summary.ts";

// Drawn with Observable Plot into texts, in the colours of the page, so that they read in dark mode, in print and without
// colour. What they show stands in a table beside them as well.

const { document } = parseHTML("<html></html>");
const width = 560;
const ink = "currentColor";
const accent = "var(--accent)";

/** The share of "very disappointed" above which a product is said to have found its market (Ellis 2010). */
const marketFit = 0.4;

const isShare = (name: ScoreName): boolean => name === "CSAT" || name === "PMF";
const onAxis = (name: ScoreName) =>
  isShare(name)
    ? { percent: true, label: `${name} (%)`, domain: [0, 100], grid: true }
    : { label: name, domain: scoreRanges[name], grid: true };

/** Plot adds rules of style to each picture, which the page has once. */
function drawn(options: Plot.PlotOptions): string {
  const svg = Plot.plot({ document, width, marginLeft: 56, marginBottom: 40, ...options });
  for (const style of svg.querySelectorAll("style")) style.remove();
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("viewBox", `0 0 ${width} ${options.height}`);
  return svg.outerHTML;
}

const scored = (groups: readonly GroupResults[]) =>
  groups.flatMap(({ key, score }) => {
    const { value, low, high } = score;
    if (value === null) return [];
    return [{ key: key ?? "(none)", value, low: low!, high: high!, answers: answersText(score) }];
  });

/** The score of each week with its interval as a band; a week that stands alone has a bar for it. */
export function trendPlot(name: ScoreName, weeks: readonly GroupResults[]): string {
  const points = scored(weeks).map((point) => ({ ...point, week: new Date(`${point.key}T00:00:00Z`) }));
  return drawn({
    height: 240,
    x: { type: "utc", label: null, ticks: "monday" },
    y: onAxis(name),
    marks: [
      Plot.areaY(points, { x: "week", y1: "low", y2: "high", fill: accent, fillOpacity: 0.15 }),
      Plot.ruleX(points, { x: "week", y1: "low", y2: "high", stroke: accent, strokeOpacity: 0.4 }),
      Plot.lineY(points, { x: "week", y: "value", stroke: accent, strokeWidth: 2 }),
      Plot.dot(points, { x: "week", y: "value", fill: accent, r: 3, title: "answers" }),
      ...(name === "PMF" ? [Plot.ruleY([marketFit], { stroke: ink, strokeDasharray: "4 3" })] : []),
    ],
  });
}

/** Versions as boxes: as wide as the time of their answers, as high as the interval, with a line at the score. */
export function versionsPlot(name: ScoreName, groups: readonly GroupResults[]): string {
  const spans = groups.map(({ key, firstAt, lastAt, score: { value, low, high } }) => {
    const [from, to] = [new Date(firstAt!), new Date(lastAt!)];
    return { key, from, to, middle: new Date((from.valueOf() + to.valueOf()) / 2), value, low, high };
  });
  const along = { x1: "from", x2: "to" };
  return drawn({
    height: 240,
    x: { type: "utc", label: null, inset: 16, ticks: 5 },
    y: onAxis(name),
    marks: [
      Plot.rect(spans, { ...along, y1: "low", y2: "high", fill: accent, fillOpacity: 0.15 }),
      Plot.ruleX(spans, { x: "middle", y1: "low", y2: "high", stroke: accent, strokeOpacity: 0.4 }),
      Plot.ruleY(spans, { ...along, y: "value", stroke: accent, strokeWidth: 2 }),
      Plot.dot(spans, { x: "middle", y: "value", fill: accent, r: 3 }),
      Plot.text(spans, { x: "middle", y: "high", text: "key", dy: -7, fill: ink }),
    ],
  });
}

export function distributionPlot({ type, distribution }: SurveyResults): string {
  const { min, max } = ratingScales[type];
  const bars = Array.from({ length: max - min + 1 }, (_, index) => {
    const rating = String(min + index);
    return { rating, count: distribution[rating]! };
  });
  return drawn({
    height: 200,
    x: { label: null, domain: bars.map(({ rating }) => rating) },
    y: { label: "answers", grid: true },
    marks: [
      Plot.barY(bars, { x: "rating", y: "count", fill: accent, fillOpacity: 0.55 }),
      Plot.text(bars, {
        x: "rating",
        y: "count",
        text: ({ count }: { count: number }) => count.toLocaleString("en"),
        dy: -7,
      }),
      Plot.ruleY([0]),
    ],
  });
}

/** Task types by their score, best first, each with its interval, and its answers and people below the name. */
export function taskTypePlot(name: ScoreName, groups: readonly GroupResults[]): string {
  const points = scored(groups).sort((a, b) => b.value - a.value);
  return drawn({
    height: 72 + 36 * points.length,
    marginLeft: 180,
    x: onAxis(name),
    y: { label: null, domain: points.map(({ key }) => key) },
    marks: [
      Plot.ruleY(points, {
        y: "key",
        x1: "low",
        x2: "high",
        stroke: ink,
        strokeWidth: 2,
        strokeOpacity: 0.5,
      }),
      Plot.dot(points, { y: "key", x: "value", fill: accent, r: 4 }),
      Plot.text(points, {
        y: "key",
        text: "answers",
        frameAnchor: "left",
        textAnchor: "end",
        dx: -9,
        dy: 14,
        fillOpacity: 0.7,
      }),
      ...(name === "PMF" ? [Plot.ruleX([marketFit], { stroke: ink, strokeDasharray: "4 3" })] : []),
    ],
  });
}

export const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** Answers by hour of the week in UTC; 0 is Monday at 00:00. */
export function hoursPlot(counts: ReadonlyMap<number, number>): string {
  const cells = [...counts].map(([hour, count]) => ({
    day: days[Math.floor(hour / 24)]!,
    hour: hour % 24,
    count,
  }));
  return drawn({
    height: 210,
    x: { label: null, domain: Array.from({ length: 24 }, (_, hour) => hour), tickFormat: String },
    y: { label: null, domain: days },
    opacity: { range: [0.08, 0.85] },
    marks: [Plot.cell(cells, { x: "hour", y: "day", fill: accent, fillOpacity: "count", inset: 0.5 })],
  });
}
