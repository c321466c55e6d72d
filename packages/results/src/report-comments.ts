import { html } from "hono/html";
import { ratingScales, type SurveyType } from "@afterword/protocol";
import { type Comment } from "./store/results-reader.ts";
import { counted, minuteText } from "./results-text.ts";
import { labelText, ratingText, thirdOf, thirds } from "./ratings.ts";
import { type Html } from "./plots.ts";
import { type Report, type SurveyReport } from "./read-report.ts";
import { byName } from "./survey-results.ts";
import { byUrgency } from "./overview.ts";
import { type Zone } from "./zone.ts";

/** @param template an address with `{sessionId}` and perhaps `{observationId}` in it */
function runLink(template: string, { sessionId, observationId }: Comment): string {
  return template
    .replaceAll("{sessionId}", encodeURIComponent(sessionId!))
    .replaceAll("{observationId}", encodeURIComponent(observationId ?? ""));
}

function identifier(name: string, value: string | null): Html | string {
  if (value === null) return "";
  return html`<span class="id"
    >${name} <bdi><code>${value}</code></bdi> <button type="button" data-copy="${value}">Copy</button></span
  >`;
}

/** Values of filters are compared as words, which a task type need not be. */
const word = (text: string | null): string => (text === null ? "" : encodeURIComponent(text));
const ratingWord = (type: SurveyType, rating: number): string => `${type}-${rating}`;
const thirdWord = (third: number): string => `third-${third}`;

function comment(one: Comment, type: SurveyType, zone: Zone, sessionUrl: string | undefined): Html {
  const third = thirdOf(type, one.rating);
  const rating = `${ratingWord(type, one.rating)} ${thirdWord(third)}`;
  return html`<li
    data-rating="${rating}"
    data-task-type="${word(one.taskType)}"
    data-version="${word(one.version)}"
  >
    <p class="about">
      <i class="${thirds[third]}"></i><strong>${ratingText(type, one.rating)}</strong> ·
      ${minuteText(one.at, zone)} ${one.taskType ? html`· <bdi>${one.taskType}</bdi>` : ""}
      ${one.version ? html`· version <bdi>${one.version}</bdi>` : ""}
      ${one.source === "imported" ? "· imported" : ""}
    </p>
    <blockquote>${one.text}</blockquote>
    <p class="about screen">
      ${identifier("session", one.sessionId)} ${identifier("observation", one.observationId)}
      ${
        sessionUrl && one.sessionId
          ? html`<a href="${runLink(sessionUrl, one)}" rel="noreferrer">Open the run</a>`
          : ""
      }
    </p>
  </li>`;
}

function ofSurvey(
  { question, results, anchor, comments }: SurveyReport,
  { query: { comments: most, zone } }: Report,
  sessionUrl?: string,
): Html {
  const which =
    comments.length === most ? `The latest ${most} comments` : counted(comments.length, "comment");
  return html`<div class="of-survey" id="${anchor}-comments">
    <h3>${question}</h3>
    <details>
      <summary>${which}, lowest rating first</summary>
      <ol class="comments">
        ${comments.map((one) => comment(one, results.type, zone, sessionUrl))}
      </ol>
    </details>
  </div>`;
}

const option = (value: string, text: string) => html`<option value="${value}">${text}</option>`;

function select(label: string, name: string, options: Html[]): Html | string {
  if (options.length === 0) return "";
  return html`<label
    >${label}
    <select name="${name}">
      <option value="">all</option>
      ${options}
    </select></label
  >`;
}

const distinct = (values: readonly (string | null)[]): string[] =>
  [...new Set(values.filter((value) => value !== null))].sort(byName);

/** Thirds, which all scales have, and the ratings of each scale. */
function ratingOptions(surveys: readonly SurveyReport[]): Html[] {
  const types = [...new Set(surveys.map(({ results }) => results.type))];
  const named = ["Lowest", "Middle", "Highest"].map((name, third) => {
    const labels = types.map((type) => labelText(type, ratingScales[type].labels[third]![1]).toLowerCase());
    return option(thirdWord(third), `${name}: ${labels.join(", ")}`);
  });
  const ofTypes = types.map((type) => {
    const own = surveys.filter(({ results }) => results.type === type).flatMap(({ comments }) => comments);
    const ratings = [...new Set(own.map(({ rating }) => rating))].sort((a, b) => a - b);
    return html`<optgroup label="${type.toUpperCase()}">
      ${ratings.map((rating) => option(ratingWord(type, rating), ratingText(type, rating)))}
    </optgroup>`;
  });
  return [...named, ...ofTypes];
}

export function comments(report: Report, sessionUrl: string | undefined): Html {
  const { surveys } = report;
  const commented = byUrgency(surveys).filter((survey) => survey.comments.length > 0);
  const all = commented.flatMap((survey) => survey.comments);
  if (all.length === 0)
    return html`<section class="appendix">
      <h2>Comments</h2>
      <p>No comments in this period.</p>
    </section>`;
  const named = (values: (string | null)[]) => distinct(values).map((value) => option(word(value), value));
  return html`<section class="appendix">
    <h2>Comments</h2>
    <p class="filters">
      ${select("Rating", "rating", ratingOptions(commented))}
      ${select("Task type", "taskType", named(all.map(({ taskType }) => taskType)))}
      ${select("Version", "version", named(all.map(({ version }) => version)))}
      <span role="status" id="shown">${counted(all.length, "comment")}</span>
    </p>
    ${commented.map((survey) => ofSurvey(survey, report, sessionUrl))}
  </section>`;
}
