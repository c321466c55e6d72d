import { html } from "hono/html";
import { ratingLabel, ratingScales } from "@afterword/protocol";
import { countText, intervalText, shareText, valueText, warningText } from "./results-text.ts";
import { days, groupsPlot, hasTrend, hoursPlot, trendPlot, type Html } from "./plots.ts";
import { labelText, thirds as names } from "./ratings.ts";
import { fewestForAScore } from "./score.ts";
import { type Zone } from "./zone.ts";
import { type GroupResults, type SurveyResults } from "./survey-results.ts";

export function dataTable(heading: readonly string[], rows: readonly (readonly string[])[]): Html {
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${heading.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([first, ...rest]) =>
            html`<tr>
              <th scope="row">${first}</th>
              ${rest.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

interface Figure {
  title: string;
  drawn: Html;
  heading: readonly string[];
  rows: readonly string[][];
  /** `screen`: paper leaves it out. */
  of?: "screen" | "by-week";
}

/** A picture with its numbers as a table below it, for those who cannot see it or want to copy them. */
function figure({ title, drawn, heading, rows, of }: Figure): Html {
  return html`<figure class="${of ?? ""}">
    <figcaption>${title}</figcaption>
    ${drawn}
    <details>
      <summary>As a table</summary>
      ${dataTable(heading, rows)}
    </details>
  </figure>`;
}

const scoreHeading = ["answers", "people", "score", "95 % interval", "note"];
const scoreCells = ({ responses, people, score }: GroupResults): string[] => [
  countText(responses),
  countText(people),
  valueText(score),
  intervalText(score),
  warningText(score),
];

/** The answers in thirds, by the words of the scale, and by rating in the table. */
export function thirds({ type, distribution, responses }: SurveyResults): Html {
  const { labels } = ratingScales[type];
  const entries = Object.entries(distribution);
  const parts = labels.map(([, label], index) => {
    const own = entries.filter(([rating]) => ratingLabel(type, Number(rating)) === label);
    const count = own.reduce((sum, [, answers]) => sum + answers, 0);
    return { label, count, share: count / responses, third: names[index]! };
  });
  const start = (index: number) => parts.slice(0, index).reduce((sum, { share }) => sum + share, 0);
  const drawn = html`<svg class="thirds" aria-hidden="true">
      ${parts.map(
        ({ share, third }, index) =>
          html`<rect
            class="${third}"
            x="${start(index) * 100}%"
            width="${share * 100}%"
            height="100%"
          ></rect>`,
      )}
    </svg>
    <table class="groups">
      <tbody>
        ${parts.toReversed().map(
          ({ label, count, share, third }) =>
            html`<tr>
              <th scope="row" class="${third}"><i></i><span>${labelText(type, label)}</span></th>
              <td>${shareText(share)}</td>
              <td>${countText(count)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  const rows = entries.map(([rating, answers]) => [
    rating,
    labelText(type, ratingLabel(type, Number(rating))!),
    countText(answers),
    shareText(answers / responses),
  ]);
  return figure({ title: "Answers", drawn, heading: ["rating", "meaning", "answers", "share"], rows });
}

/** Where the headline is weighted, and these groups cannot be. */
const rawNote = ({ score }: SurveyResults): string => (score.isWeighted ? ", raw" : "");

export function trend(results: SurveyResults): Html | string {
  const { score, groups } = results;
  if (!hasTrend(groups)) return "";
  const isPartial = groups.some((week) => week.isPartial);
  const rows = groups.map((week) => [
    week.isPartial ? `${week.key} (incomplete)` : week.key!,
    ...scoreCells(week),
  ]);
  return figure({
    title: `By week${rawNote(results)}`,
    drawn: html`${trendPlot(score.name, groups)}
    ${isPartial ? html`<small class="incomplete">incomplete week</small>` : ""}`,
    heading: ["week of", ...scoreHeading],
    rows,
    of: "by-week",
  });
}

/** So many are listed, and of these the newest are drawn. */
const mostVersions = 20;
const mostDrawn = 8;

export function versions({ score, groups }: SurveyResults, zone: Zone): Html | string {
  const named = groups.filter(({ key, responses }) => key !== null && responses > 0);
  if (named.length < 2) return "";
  const latest = named.toSorted((a, b) => b.lastAt!.localeCompare(a.lastAt!)).slice(0, mostVersions);
  const shown = named.filter((version) => latest.includes(version));
  const newest = shown.filter((version) => latest.indexOf(version) < mostDrawn);
  const rows = shown.map((version) => [
    version.key!,
    ...scoreCells(version),
    zone.day(Date.parse(version.firstAt!)),
    zone.day(Date.parse(version.lastAt!)),
  ]);
  return figure({
    title: shown.length > mostDrawn ? `The latest ${mostDrawn} versions` : "By version",
    drawn: groupsPlot(score.name, newest),
    heading: ["version", ...scoreHeading, "first answer", "last answer"],
    rows,
    of: "screen",
  });
}

const mostTaskTypes = 8;

/** Those with the most answers, worst first. */
export function taskTypes(results: SurveyResults): Html | string {
  const { score, groups } = results;
  const answered = groups.filter(({ responses }) => responses > 0);
  if (answered.length < 2) return "";
  const worstFirst = (all: GroupResults[]) => all.toSorted((a, b) => a.score.value! - b.score.value!);
  const rows = worstFirst(answered).map((group) => [group.key ?? "(none)", ...scoreCells(group)]);
  const shown = worstFirst(answered.slice(0, mostTaskTypes));
  return figure({
    title: `By task type${rawNote(results)}, lowest first${shown.length < answered.length ? `: the ${mostTaskTypes} with the most answers` : ""}`,
    drawn: groupsPlot(score.name, shown),
    heading: ["task type", ...scoreHeading],
    rows,
  });
}

/** Fewer answers than a score needs would be single cells of 168. */
export function hours(counts: ReadonlyMap<number, number>, zone: Zone): Html | string {
  if ([...counts.values()].reduce((sum, own) => sum + own, 0) < fewestForAScore) return "";
  const rows = days.map((day, index) => {
    const ofDay = [...counts].filter(([hour]) => Math.floor(hour / 24) === index);
    const [busiest] = ofDay.toSorted(([, a], [, b]) => b - a);
    const answers = ofDay.reduce((total, [, own]) => total + own, 0);
    return [day, countText(answers), busiest ? `${busiest[0] % 24}:00 (${countText(busiest[1])})` : ""];
  });
  return figure({
    title: `Answers by hour of the week (${zone.name})`,
    drawn: hoursPlot(counts),
    heading: ["day", "answers", "busiest hour"],
    rows,
    of: "screen",
  });
}
