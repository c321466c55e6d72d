import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { countText, minuteText } from "./results-text.ts";
import { notesOf } from "./changes.ts";
import { failuresText, queueText } from "./queue-state.ts";
import { type Html } from "./plots.ts";
import { type Report } from "./read-report.ts";
import { pageMark, pageScript, reportStyle } from "./report-assets.ts";
import { comments } from "./report-comments.ts";
import { dataTable } from "./report-figures.ts";
import { overview, survey } from "./report-survey.ts";
import { zonedText } from "./period.ts";
import { byUrgency } from "./overview.ts";

const digest = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page asks for nothing, and runs nothing but its own few lines. */
export const pagePolicy = `default-src 'none'; style-src ${digest(reportStyle)}; script-src ${digest(pageScript)}; base-uri 'none'; form-action 'none'`;

function queue({ queue: state, createdAt, query }: Report): Html {
  const [failed, ...reasons] = failuresText(state);
  const hours = state.deliveredPerHour.map(({ hour, delivered }) => [
    minuteText(Date.parse(hour), query.zone),
    countText(delivered),
  ]);
  const list = html`<ul>
    ${reasons.map((reason) => html`<li>${reason}</li>`)}
  </ul>`;
  const table = html`<details>
    <summary>Delivered per hour, as a table</summary>
    ${dataTable(["hour", "delivered"], hours)}
  </details>`;
  return html`<section class="screen">
    <h2>Delivery</h2>
    <p>${queueText(state, createdAt)}</p>
    ${
      failed
        ? html`<p>${failed}</p>
            ${list}`
        : ""
    }
    ${hours.length > 0 ? table : ""}
  </section>`;
}

function changes({ asked, surveys }: Report): Html | string {
  if (!asked || asked.changes.length === 0) return "";
  const { against, changes: all } = asked;
  const results = surveys.map((one) => one.results);
  const questionOf = (id: string) => surveys.find((one) => one.results.id === id)?.question;
  return html`<section>
    <h2>Against ${against}</h2>
    <details ${all.length > 8 ? "" : "open"}>
      <summary>${all.length} differences, those that are found first</summary>
      <ul>
        ${all.map(({ id, words }) => html`<li><strong>${questionOf(id)}</strong> ${words}</li>`)}
      </ul>
    </details>
    <p class="note">${notesOf(all, results).join(" ")}</p>
  </section>`;
}

/** The results as one HTML document that makes no requests. */
export async function reportPage(report: Report, sessionUrl?: string): Promise<string> {
  const { project, surveys, query } = report;
  const isMany = surveys.length > 4;
  const page = await html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${pagePolicy}" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <meta name="referrer" content="no-referrer" />
      <meta name="color-scheme" content="light dark" />
      <title>Results of ${project.name}</title>
      ${raw(`<style>${reportStyle}</style>`)}
    </head>
    <body class="${isMany ? "many" : ""}">
      <header>
        <h1>${project.name}</h1>
        <p>
          ${zonedText(query)}${query.measuredOnly ? ", without imported responses" : ""}; read at
          ${minuteText(report.createdAt, query.zone)}
        </p>
      </header>
      <main>
        ${
          surveys.length === 0
            ? html`<p>This project has no survey yet.</p>`
            : html`${overview(report)}${changes(report)}
                <div class="all">${byUrgency(surveys).map((one) => survey(one, query, isMany))}</div>
                ${comments(report, sessionUrl)}`
        }${queue(report)}
      </main>
      <footer>
        <p class="note">
          A weighted score counts each answer as the runs that it stands for: runs reported / answers in its
          class, which is a version of the agent and a stratum of sampling. The raw score counts each answer
          as one. Runs are counted by whole days in UTC.
        </p>
        <p class="note">
          What a score is likely to be is its 95 % interval, which holds the true value in 95 of 100 such
          samples. Intervals count people, since answers of one person are alike. NPS: promoters minus
          detractors, adjusted Wald interval (Bonett and Price 2012). CSAT (share of 4 and 5), share of up and
          PMF (share of "very disappointed", with the line at 40 %): Wilson's score interval. Both use the
          effective number of answers (Korn and Graubard 1998). CES: mean with Student's interval. Below 30
          people a score is too uncertain to tell.
        </p>
      </footer>
      ${raw(`<script>${pageScript}</script>`)}
    </body>
  </html>`;
  return pageMark(project.id) + page.toString();
}
