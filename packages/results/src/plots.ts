import { dayInMs } from "@afterword/protocol/duration";
import { html } from "hono/html";
import { type ScoreName, scores } from "./ratings.ts";
import { answersText, scoreText } from "./results-text.ts";
import { type GroupResults } from "./survey-results.ts";

// The style of the page colours these pictures, light and dark. A table beside each of them has the same figures.

export type Html = ReturnType<typeof html>;
type Scale = (value: number) => number;
type Range = readonly [from: number, to: number];

/** A phone's window is about as wide, so that texts keep their size there. */
const width = 360;
const across: Range = [40, width - 12];

/** The share of "very disappointed" above which a product is said to have found its market (Ellis 2010). */
const marketFit = 0.4;

const shares = [0, 0.2, 0.4, 0.6, 0.8, 1];
const ticks: Partial<Record<ScoreName, readonly number[]>> = {
  NPS: [-100, -50, 0, 50, 100],
  CES: [1, 2, 3, 4, 5, 6, 7],
};
const axisTitle = (name: ScoreName): string => scores[name].title + (ticks[name] ? "" : " (%)");
const tickText = (name: ScoreName, tick: number): string =>
  String(Math.round(ticks[name] ? tick : tick * 100)).replace("-", "\u2212");

function scale([least, most]: Range, [from, to]: Range): Scale {
  if (most === least) return () => (from + to) / 2;
  const perUnit = (to - from) / (most - least);
  return (value) => Number((from + (value - least) * perUnit).toFixed(1));
}

const svg = (content: Html, height: number, ownWidth = width): Html =>
  html`<svg class="plot" viewBox="0 0 ${ownWidth} ${height}" aria-hidden="true">${content}</svg>`;

const line = (kind: string, [x1, x2]: Range, [y1, y2]: Range): Html =>
  html`<line class="${kind}" x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}"></line>`;

const dot = (x: number, y: number, radius: number, kind = ""): Html =>
  html`<circle class="${kind}" cx="${x}" cy="${y}" r="${radius}"></circle>`;

const label = (x: number, y: number, text: string, anchor: "start" | "middle" | "end"): Html =>
  html`<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;

const scored = (groups: readonly GroupResults[]) =>
  groups.flatMap(({ key, score, isPartial }) => {
    const { name, value, low, high } = score;
    if (value === null) return [];
    const caption = `${scoreText(name, value)}, ${answersText(score)}`;
    return [{ key: key ?? "(none)", value, low: low!, high: high!, caption, isPartial }];
  });

/** Whether weeks make a line: one alone says no more than the score of all. */
export const hasTrend = (weeks: readonly GroupResults[]): boolean => scored(weeks).length > 1;

function placed(groups: readonly GroupResults[], range: Range) {
  const weeks = scored(groups).map((week) => ({ ...week, at: Date.parse(week.key) }));
  const xOf = scale([weeks[0]!.at, weeks.at(-1)!.at], range);
  return weeks.map((week) => ({ ...week, x: xOf(week.at) }));
}

/** The score of each week as a line, its interval as a band; the dot of an incomplete week is hollow. */
function weekly(places: ReturnType<typeof placed>, yOf: Scale, radius: number): Html {
  const corners = (of: "value" | "low" | "high") => places.map((one) => `${one.x},${yOf(one[of])}`);
  return html`<polygon points="${[...corners("low"), ...corners("high").toReversed()].join(" ")}"></polygon>
    ${places.map(({ x, low, high }) => line("interval", [x, x], [yOf(low), yOf(high)]))}
    <polyline points="${corners("value").join(" ")}"></polyline>
    ${places.map(({ x, value, isPartial }) => dot(x, yOf(value), radius, isPartial ? "partial" : ""))}`;
}

/** As wide as a date, with a gap. */
const leastBetweenDates = 58;

/** The score of each week with its interval. */
export function trendPlot(name: ScoreName, weeks: readonly GroupResults[]): Html {
  const points = placed(weeks, [46, 342]);
  const yOf = scale(scores[name].range, [186, 20]);
  const dated: typeof points = [];
  for (const point of points)
    if (point.x - (dated.at(-1)?.x ?? -Infinity) >= leastBetweenDates) dated.push(point);
  const isLong = points.at(-1)!.at - points[0]!.at > 365 * dayInMs;
  const parts = isLong ? ({ year: "numeric" } as const) : ({ day: "numeric" } as const);
  const format = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC", ...parts });
  const content = html`${(ticks[name] ?? shares).map(
    (tick) =>
      html`${line("grid", across, [yOf(tick), yOf(tick)])}${label(34, yOf(tick) + 4, tickText(name, tick), "end")}`,
  )}
  ${label(4, 10, axisTitle(name), "start")}
  ${dated.map(({ at, x }) => label(x, 204, format.format(at), "middle"))}
  ${name === "PMF" ? line("goal", across, [yOf(marketFit), yOf(marketFit)]) : ""} ${weekly(points, yOf, 3)}`;
  return svg(content, 212);
}

/** The same without axes, as high as its own intervals. */
export function sparkline(weeks: readonly GroupResults[]): Html {
  const points = placed(weeks, [4, 156]);
  const [lows, highs] = [points.map(({ low }) => low), points.map(({ high }) => high)];
  return svg(weekly(points, scale([Math.min(...lows), Math.max(...highs)], [40, 4]), 2), 44, 160);
}

const rowHeight = 36;

/** Groups one below the other: the name with its score, answers and people, and the interval below it. */
export function groupsPlot(name: ScoreName, groups: readonly GroupResults[]): Html {
  const xOf = scale(scores[name].range, [12, 348]);
  const points = scored(groups);
  const bottom = 8 + rowHeight * points.length;
  const content = html`${(ticks[name] ?? shares).map(
    (tick) =>
      html`${line("grid", [xOf(tick), xOf(tick)], [0, bottom])}${label(xOf(tick), bottom + 16, tickText(name, tick), "middle")}`,
  )}
  ${label(348, bottom + 34, axisTitle(name), "end")}
  ${name === "PMF" ? line("goal", [xOf(marketFit), xOf(marketFit)], [0, bottom]) : ""}
  ${points.map(({ key, value, low, high, caption }, index) => {
    const y = rowHeight * (index + 1) - 6;
    return html`<g class="group">
      ${label(12, y - 13, key.slice(0, Math.max(6, 46 - caption.length)), "start")}
      ${label(348, y - 13, caption, "end")} ${line("interval", [xOf(low), xOf(high)], [y, y])}
      ${dot(xOf(value), y, 3)}
    </g>`;
  })}`;
  return svg(content, bottom + 40);
}

export const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** Answers by hour of the week; 0 is Monday at 00:00. The more answers, the more opaque is a cell. */
export function hoursPlot(counts: ReadonlyMap<number, number>): Html {
  const [xOf, yOf] = [scale([0, 24], across), scale([0, 7], [8, 168])];
  const opacityOf = scale([0, Math.max(...counts.values())], [8, 85]);
  const content = html`${days.map((day, index) => label(34, yOf(index + 0.5) + 4, day, "end"))}
  ${[0, 3, 6, 9, 12, 15, 18, 21].map((hour) => label(xOf(hour + 0.5), 184, String(hour), "middle"))}
  ${[...counts].map(
    ([hour, count]) =>
      html`<rect
        x="${xOf(hour % 24)}"
        y="${yOf(Math.floor(hour / 24))}"
        width="11.8"
        height="21.8"
        fill-opacity="${opacityOf(count)}%"
      ></rect>`,
  )}`;
  return svg(content, 192);
}
