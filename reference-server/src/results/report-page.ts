import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { ratingLabel } from "@afterword/protocol";
import { countText, intervalText, minuteText, valueText, warningText } from "./numbers.ts";
import { notesOf } from "./changes.ts";
import { headline } from "./report-headline.ts";
import { days, distributionPlot, hoursPlot, taskTypePlot, trendPlot, versionsPlot } from "./plots.ts";
import { failuresText, queueText } from "./queue-state.ts";
import { type Report, type SurveyReport } from "./read-results.ts";
import { pageScript, pageStyle } from "./report-assets.ts";
import { comments } from "./report-comments.ts";
import { type GroupResults, type SurveyResults } from "./summary.ts";

type Html = ReturnType<typeof html>;

const digest = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page asks for nothing, and runs nothing but its own few lines. */
export const pagePolicy = `default-src 'none'; style-src ${digest(pageStyle)}; script-src ${digest(pageScript)}; base-uri 'none'; form-action 'none'`;

function dataTable(heading: readonly string[], rows: readonly (readonly string[])[]): Html {
  return html`<div class="plot">
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

/** A picture with its numbers as a table below it, for those who cannot see it or want to copy them. */
function figure(title: string, svg: string, heading: readonly string[], rows: readonly string[][]): Html {
  return html`<figure>
    <figcaption>${title}</figcaption>
    <div class="plot">${raw(svg)}</div>
    <details>
      <summary>${title}, as a table</summary>
      ${dataTable(heading, rows)}
    </details>
  </figure>`;
}

const scoreHeading = ["answers", "people", "score", "95 % interval", ""];
const scoreCells = ({ responses, people, score }: GroupResults): string[] => [
  countText(responses),
  countText(people),
  valueText(score),
  intervalText(score),
  warningText(score),
];

function distribution(survey: SurveyResults): Html {
  const rows = Object.entries(survey.distribution).map(([rating, answers]) => [
    `${rating} (${(ratingLabel(survey.type, Number(rating)) ?? "").replaceAll("_", " ")})`,
    countText(answers),
  ]);
  return figure("Answers by rating", distributionPlot(survey), ["rating", "answers"], rows);
}

/** Where the headline is weighted, and these groups cannot be. */
const rawNote = ({ score }: SurveyResults): string => (score.isWeighted ? ", raw" : "");

function trend(results: SurveyResults): Html {
  const { score, groups } = results;
  const rows = groups.map((week) => [week.key!, ...scoreCells(week)]);
  return figure(
    `${score.name} by week${rawNote(results)}, with its 95 % interval`,
    trendPlot(score.name, groups),
    ["week of", ...scoreHeading],
    rows,
  );
}

const mostVersions = 20;
const dayOf = (at: string | null): string => at?.slice(0, 10) ?? "";

function versions({ score, groups }: SurveyResults): Html | string {
  const named = groups.filter(({ key, responses }) => key !== null && responses > 0);
  if (named.length === 0) return "";
  const latest = named.toSorted((a, b) => b.lastAt!.localeCompare(a.lastAt!)).slice(0, mostVersions);
  const shown = named.filter((version) => latest.includes(version));
  const rows = shown.map((version) => [
    version.key!,
    ...scoreCells(version),
    dayOf(version.firstAt),
    dayOf(version.lastAt),
  ]);
  const which = shown.length < named.length ? `the latest ${mostVersions} versions` : "version";
  return figure(
    `${score.name} by ${which}, from the first answer to the last, with its 95 % interval`,
    versionsPlot(score.name, shown),
    ["version", ...scoreHeading, "first answer", "last answer"],
    rows,
  );
}

function taskTypes(results: SurveyResults): Html | string {
  const { score, groups } = results;
  const answered = groups.filter(({ responses }) => responses > 0);
  if (answered.length === 0 || (answered.length === 1 && answered[0]!.key === null)) return "";
  const sorted = answered.toSorted((a, b) => b.score.value! - a.score.value!);
  const rows = sorted.map((group) => [group.key ?? "(none)", ...scoreCells(group)]);
  const title = `${score.name} by task type${rawNote(results)}, with its 95 % interval`;
  return figure(title, taskTypePlot(score.name, sorted), ["task type", ...scoreHeading], rows);
}

function hours(counts: ReadonlyMap<number, number>): Html {
  const rows = days.map((day, index) => {
    const ofDay = [...counts].filter(([hour]) => Math.floor(hour / 24) === index);
    const [busiest] = ofDay.toSorted(([, a], [, b]) => b - a);
    const answers = ofDay.reduce((total, [, own]) => total + own, 0);
    return [day, countText(answers), busiest ? `${busiest[0] % 24}:00 (${countText(busiest[1])})` : ""];
  });
  return figure(
    "Answers by hour of the week (UTC)",
    hoursPlot(counts),
    ["day", "answers", "busiest hour"],
    rows,
  );
}

function survey(report: SurveyReport): Html {
  const { question, weeks, taskTypes: tasks, versions: ofVersions, hours: counts } = report;
  return html`<section>
    <h2>${weeks.slug}</h2>
    <p class="question">${question}</p>
    ${headline(weeks)}
    ${
      weeks.responses === 0
        ? html`<p>No answers in this period yet.</p>`
        : html`<div class="figures">
            ${trend(weeks)}${versions(ofVersions)}${distribution(weeks)}${taskTypes(tasks)}${hours(counts)}
          </div>`
    }
  </section>`;
}

function queue({ queue: state, createdAt }: Report): Html {
  const [failed, ...reasons] = failuresText(state);
  return html`<section>
    <h2>Delivery</h2>
    <p>${queueText(state, createdAt)}</p>
    ${
      failed
        ? html`<p>${failed}</p>
            <ul>
              ${reasons.map((reason) => html`<li>${reason}</li>`)}
            </ul>`
        : ""
    }
    ${
      state.deliveredPerHour.length > 0
        ? html`<details>
            <summary>Delivered per hour, as a table</summary>
            ${dataTable(["hour (UTC)", "delivered"], state.deliveredPerHour.map(hourCells))}
          </details>`
        : ""
    }
  </section>`;
}

const hourCells = ({ hour, delivered }: { hour: string; delivered: number }): string[] => [
  minuteText(Date.parse(hour)),
  countText(delivered),
];

function changes({ changes: all, surveys }: Report): Html | string {
  if (!all || all.length === 0) return "";
  return html`<section>
    <h2>What changed</h2>
    <ul>
      ${all.map(({ survey: slug, words }) => html`<li><strong>${slug}</strong>: ${words}</li>`)}
    </ul>
    <p class="note">
      ${notesOf(
        all,
        surveys.map(({ weeks }) => weeks),
      ).join(" ")}
    </p>
  </section>`;
}

const period = ({ query: { since, until }, createdAt }: Report): string =>
  `${since === undefined ? "from the beginning" : `from ${minuteText(since)}`} to ${minuteText(until ?? createdAt)}`;

/** The results as one HTML document that makes no requests. */
export async function reportPage(report: Report, sessionUrl?: string): Promise<string> {
  const { project, surveys, query } = report;
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${pagePolicy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>Results of ${project.name}</title>
        ${raw(`<style>${pageStyle}</style>`)}
      </head>
      <body>
        <header>
          <h1>${project.name}</h1>
          <p>${period(report)}${query.measuredOnly ? ", without imported responses" : ""}</p>
        </header>
        <main>
          ${changes(report)}${surveys.length === 0 ? html`<p>This project has no survey yet.</p>` : surveys.map(survey)}
          ${comments(report, sessionUrl)}${queue(report)}
        </main>
        <footer>
          <p class="note">
            A weighted score counts each answer as the runs that it stands for: runs reported / answers in its
            class, which is a version of the agent and a stratum of sampling. The raw score counts each answer
            as one. Runs are counted by whole days in UTC.
          </p>
          <p class="note">
            Intervals hold the true value in 95 of 100 such samples. They count people, since answers of one
            person are alike. NPS: promoters minus detractors, adjusted Wald interval (Bonett and Price 2012).
            CSAT (share of 4 and 5) and PMF (share of "very disappointed", with the line at 40 %): Wilson's
            score interval. Both use the effective number of answers (Korn and Graubard 1998). CES: mean with
            Student's interval. Below 30 people a score is too uncertain to tell.
          </p>
        </footer>
        ${raw(`<script>${pageScript}</script>`)}
      </body>
    </html>`;
  return page.toString();
}
