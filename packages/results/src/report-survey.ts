import { html } from "hono/html";
import { funnelSteps, type Funnel } from "./funnel.ts";
import {
  answersText,
  counted,
  countText,
  intervalText,
  peopleText,
  scoreText,
  shareText,
  warningText,
  withoutPersonText,
} from "./results-text.ts";
import { type Report, type SurveyReport } from "./read-report.ts";
import { hours, taskTypes, thirds, trend, versions } from "./report-figures.ts";
import { hasTrend, type Html, sparkline } from "./plots.ts";
import { byUrgency, movementOf, whatChanged } from "./overview.ts";
import { scores } from "./ratings.ts";
import { lengthText, type Period } from "./period.ts";
import { countsAnswered, type SurveyResults } from "./survey-results.ts";

/** A score as every part of the page draws it. */
function scoreOf({ score }: Pick<SurveyResults, "score">): Html {
  const flag = warningText(score);
  return html`<strong>${scoreText(score.name, score.value!)}</strong> ${scores[score.name].meaning}
    <small>likely ${intervalText(score)}</small>
    ${flag ? html`<span class="flag">${flag}</span>` : ""}`;
}

function movement({ change }: SurveyReport): Html {
  const { direction, words, detail } = movementOf(change);
  return html`<strong class="${direction}">${words}</strong> ${detail ? html`<small>${detail}</small>` : ""}`;
}

function name({ question, results, anchor, comments }: SurveyReport): Html {
  const link = html` · <a href="#${anchor}-comments">${counted(comments.length, "comment")}</a>`;
  return html`<th scope="row">
    <a href="#${anchor}">${question}</a>
    <small>${results.slug}${comments.length > 0 ? link : ""}</small>
  </th>`;
}

function row(report: SurveyReport): Html {
  const { score, rawScore, groups } = report.results;
  if (score.value === null)
    return html`<tr>
      ${name(report)}
      <td colspan="4">No answers</td>
    </tr>`;
  return html`<tr>
    ${name(report)}
    <td class="value">${scoreOf(report.results)}</td>
    <td>${movement(report)}</td>
    <td class="answers">
      ${counted(rawScore.n, "answer")}
      <small>of ${peopleText(rawScore.people)}</small>
    </td>
    <td class="trend">${hasTrend(groups) ? sparkline(groups) : ""}</td>
  </tr>`;
}

/** All that a decision needs at first: what changed, and a line for each survey. */
export function overview({ surveys, query, asked }: Report): Html {
  return html`<section class="overview">
    <p class="verdict">${whatChanged(surveys, asked)}</p>
    <table class="surveys">
      <thead>
        <tr>
          <th scope="col">Survey</th>
          <th scope="col">Score</th>
          <th scope="col">Against the ${lengthText(query)} before</th>
          <th scope="col">Answers</th>
          <th scope="col">By week</th>
        </tr>
      </thead>
      <tbody>
        ${byUrgency(surveys).map(row)}
      </tbody>
    </table>
  </section>`;
}

/** How the answers came about. Bars are as long as their share of the largest step. */
function funnel(of: Funnel): Html | string {
  const steps = funnelSteps(of);
  if (steps.length === 0) return "";
  const most = Math.max(...steps.map(({ count }) => count), 1);
  return html`<figure class="screen">
    <figcaption>${of.runs > 0 ? "From runs to answers" : "From people who were asked to answers"}</figcaption>
    <table class="funnel">
      <tbody>
        ${steps.map(
          ({ name, count, rate, isExit }) =>
            html`<tr class="${isExit ? "exit" : ""}">
              <th scope="row">${name}</th>
              <td class="count">${countText(count)}</td>
              <td class="bar"><meter min="0" max="${most}" value="${count}" aria-hidden="true"></meter></td>
              <td>${rate}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </figure>`;
}

/** How many answers of how many people, and how many did not want to answer. */
function counts(results: SurveyResults): Html {
  const { rawScore, dismissals, answeredShare, imported, withoutPerson, funnel } = results;
  const ofImport = imported > 0 ? ` (${countText(imported)} imported)` : "";
  const of = countsAnswered(funnel) ? "of the runs that were asked about were" : "of those who reacted";
  const share = answeredShare === null ? "" : `; ${shareText(answeredShare)} ${of} answered`;
  const unknown = withoutPersonText(withoutPerson);
  return html`<p>
    ${answersText(rawScore)}${ofImport},
    ${counted(dismissals ?? 0, "dismissal")}${share}.${unknown ? ` ${unknown}.` : ""}
  </p>`;
}

function warnings({ warnings: all }: SurveyResults): Html | string {
  if (all.length === 0) return "";
  return html`<ul class="warnings">
    ${all.map(({ text }) => html`<li>${text}</li>`)}
  </ul>`;
}

function plots(figures: Html | string, isOpen: boolean): Html {
  return html`<details class="plots" ${isOpen ? "open" : ""}>
    <summary>Plots and tables</summary>
    <div class="figures">${figures}</div>
  </details>`;
}

/** One survey: its score with what it speaks for and what it cannot carry, and the plots that show something. */
export function survey(report: SurveyReport, period: Period, isFolded: boolean): Html {
  const { question, results, anchor, change } = report;
  const { score, rawScore, slug } = results;
  const ofRuns = results.funnel ? funnel(results.funnel) : "";
  if (rawScore.n === 0)
    return html`<section class="survey" id="${anchor}">
      <h2>${question}</h2>
      <p class="about">${slug}</p>
      <p>No answers in this period.</p>
      ${ofRuns ? plots(ofRuns, false) : ""}
    </section>`;
  const before = change?.from.score.n ? html`<small>against the ${lengthText(period)} before</small>` : "";
  const figures = html`${thirds(results)} ${trend(results)} ${taskTypes(report.taskTypes)}
  ${versions(report.versions, period.zone)} ${ofRuns} ${hours(report.hours, period.zone)}`;
  return html`<section class="survey" id="${anchor}">
    <div class="text">
      <h2>${question}</h2>
      <div class="summary">
        <p class="about">${slug}</p>
        <p class="score">
          ${scoreOf(results)}
          ${score.isWeighted ? html`<small>· weighted; raw ${scoreText(score.name, rawScore.value!)}, likely ${intervalText(rawScore)}</small>` : ""}
        </p>
        <p>${movement(report)} ${before}</p>
        ${counts(results)}
      </div>
      <p>${results.speaksFor}</p>
      ${warnings(results)}
    </div>
    ${plots(figures, !isFolded)}
  </section>`;
}
