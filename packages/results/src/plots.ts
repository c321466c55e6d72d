import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { answersText, scoreText } from "./results-text.ts";
import { scoreRanges, type ScoreName } from "./rating-values.ts";
import { type GroupResults } from "./summary.ts";

// Drawn with Observable Plot into texts, in the colours of the page, so that they read in dark mode, in print and without
// colour. What they show stands in a table beside them as well.

const { document } = parseHTML("<html></html>");
/** That of a phone's window, so that a plot shrinks there by little and its texts stay readable. */
const width = 360;
const ink = "currentColor";
const accent = "var(--accent)";
const paper = "var(--paper)";

/** The share of "very disappointed" above which a product is said to have found its market (Ellis 2010). */
const marketFit = 0.4;

const isShare = (name: ScoreName): boolean => name === "CSAT" || name === "PMF";
const onAxis = (name: ScoreName) =>
  isShare(name)
    ? { percent: true, label: `${name} (%)`, domain: [0, 100], grid: true }
    : { label: name, domain: scoreRanges[name], grid: true };

/** Plot adds rules of style to each picture, which the page has once. */
function drawn(options: Plot.PlotOptions): string {
  const svg = Plot.plot({ document, width, marginLeft: 40, marginRight: 12, marginBottom: 36, ...options });
  for (const style of svg.querySelectorAll("style")) style.remove();
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("viewBox", `0 0 ${options.width ?? width} ${options.height}`);
  return svg.outerHTML;
}

const scored = (groups: readonly GroupResults[]) =>
  groups.flatMap(({ key, score, isPartial }) => {
    const { name, value, low, high } = score;
    if (value === null) return [];
    const caption = `${scoreText(name, value)}, ${answersText(score)}`;
    return [{ key: key ?? "(none)", value, low: low!, high: high!, caption, isPartial }];
  });

/** Whether weeks make a line: one alone says no more than the score of all. */
export const hasTrend = (weeks: readonly GroupResults[]): boolean => scored(weeks).length > 1;

const weekly = (weeks: readonly GroupResults[]) =>
  scored(weeks).map((point) => ({ ...point, week: new Date(`${point.key}T00:00:00Z`) }));

/** The score of each week as a line, its interval as a band; a week that the period has not all of is an empty dot. */
function trendMarks(points: ReturnType<typeof weekly>, radius: number): Plot.Markish[] {
  const line = { x: "week", y: "value", stroke: accent, strokeWidth: 2 };
  return [
    Plot.areaY(points, { x: "week", y1: "low", y2: "high", fill: accent, fillOpacity: 0.15 }),
    Plot.ruleX(points, { x: "week", y1: "low", y2: "high", stroke: accent, strokeOpacity: 0.25 }),
    Plot.lineY(points, line),
    Plot.dot(points, { ...line, r: radius, fill: ({ isPartial }) => (isPartial ? paper : accent) }),
  ];
}

/** The score of each week with its interval. */
export function trendPlot(name: ScoreName, weeks: readonly GroupResults[]): string {
  return drawn({
    height: 220,
    x: { type: "utc", label: null, inset: 6, ticks: 5 },
    y: onAxis(name),
    marks: [
      ...(name === "PMF" ? [Plot.ruleY([marketFit], { stroke: ink, strokeDasharray: "4 3" })] : []),
      ...trendMarks(weekly(weeks), 3),
    ],
  });
}

/** The same without axes, as high as its own intervals. */
export function sparkline(weeks: readonly GroupResults[]): string {
  const points = weekly(weeks);
  return drawn({
    width: 160,
    height: 44,
    marginLeft: 4,
    marginRight: 4,
    marginTop: 4,
    marginBottom: 4,
    axis: null,
    x: { type: "utc" },
    y: { domain: [Math.min(...points.map(({ low }) => low)), Math.max(...points.map(({ high }) => high))] },
    marks: trendMarks(points, 2),
  });
}

/** Groups one below the other: the name with its score, answers and people, and the interval below it. */
export function groupsPlot(name: ScoreName, groups: readonly GroupResults[]): string {
  const points = scored(groups);
  const above = { y: "key", dy: -11, fill: ink };
  return drawn({
    height: 52 + 36 * points.length,
    marginLeft: 12,
    marginTop: 16,
    x: { ...onAxis(name), ticks: 5 },
    y: { axis: null, domain: points.map(({ key }) => key) },
    marks: [
      Plot.ruleY(points, {
        y: "key",
        x1: "low",
        x2: "high",
        stroke: accent,
        strokeWidth: 6,
        strokeOpacity: 0.3,
        dy: 6,
      }),
      Plot.dot(points, { y: "key", x: "value", fill: accent, r: 4, dy: 6 }),
      Plot.text(points, {
        ...above,
        text: ({ key, caption }: { key: string; caption: string }) =>
          key.slice(0, Math.max(6, 46 - caption.length)),
        fontWeight: 600,
        frameAnchor: "left",
      }),
      Plot.text(points, { ...above, text: "caption", frameAnchor: "right", fillOpacity: 0.75 }),
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
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  return drawn({
    height: 196,
    x: { label: null, domain: hours, ticks: hours.filter((hour) => hour % 3 === 0), tickFormat: String },
    y: { label: null, domain: days },
    opacity: { range: [0.08, 0.85] },
    marks: [Plot.cell(cells, { x: "hour", y: "day", fill: accent, fillOpacity: "count", inset: 0.5 })],
  });
}
