import { html } from "hono/html";
import { counted, intervalText, peopleText, scoreText, warningText } from "./results-text.ts";
import { hasTrend, sparkline, type Html } from "./plots.ts";
import { meanings } from "./ratings.ts";
import { type Report, type SurveyReport } from "./read-report.ts";
import { type SurveyResults } from "./survey-results.ts";
import { lengthText } from "./period.ts";
import { byUrgency, movementOf, whatChanged } from "./overview.ts";

/** A score as every part of the page draws it. */
export function scoreOf({ score, thumbs }: Pick<SurveyResults, "score" | "thumbs">): Html {
  const flag = warningText(score);
  return html`<strong>${scoreText(score.name, score.value!)}</strong> ${thumbs ? "up" : meanings[score.name]}
    <small>likely ${intervalText(score)}</small>
    ${flag ? html`<span class="flag">${flag}</span>` : ""}`;
}

export function movement({ change }: SurveyReport): Html {
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
