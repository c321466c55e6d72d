import { html } from "hono/html";
import { type Comment } from "../store/store.ts";
import { countText, minuteText } from "./numbers.ts";
import { type Report } from "./read-results.ts";

type Html = ReturnType<typeof html>;

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

function comment(one: Comment, slug: string, sessionUrl: string | undefined): Html {
  return html`<li data-rating="${one.rating}" data-task-type="${one.taskType ?? ""}">
    <p class="about">
      <strong>${one.rating}</strong> ${slug} · ${minuteText(one.at)}
      ${one.taskType ? html`· <bdi>${one.taskType}</bdi>` : ""}
      ${one.source === "imported" ? "· imported" : ""}
    </p>
    <blockquote>${one.text}</blockquote>
    <p class="about">
      ${identifier("session", one.sessionId)} ${identifier("observation", one.observationId)}
      ${
        sessionUrl && one.sessionId
          ? html`<a href="${runLink(sessionUrl, one)}" rel="noreferrer">Open the run</a>`
          : ""
      }
    </p>
  </li>`;
}

const options = (values: readonly (string | number)[]) =>
  values.map((value) => html`<option value="${value}">${value}</option>`);

export function comments(report: Report, sessionUrl: string | undefined): Html {
  const { comments: all, project } = report;
  const slugs = new Map(project.surveys.map(({ id, slug }) => [id, slug]));
  const ratings = [...new Set(all.map(({ rating }) => rating))].sort((a, b) => a - b);
  const types = [...new Set(all.flatMap(({ taskType }) => taskType ?? []))].sort();
  if (all.length === 0)
    return html`<section>
      <h2>Comments</h2>
      <p>No comments in this period.</p>
    </section>`;
  return html`<section>
    <h2>Comments</h2>
    <p class="filters">
      <label
        >Rating
        <select id="rating">
          <option value="">all</option>
          ${options(ratings)}
        </select></label
      >
      <label
        >Task type
        <select id="task-type">
          <option value="">all</option>
          ${options(types)}
        </select></label
      >
      <span role="status" id="shown">The latest ${countText(all.length)}, newest first</span>
    </p>
    <ol class="comments">
      ${all.map((one) => comment(one, slugs.get(one.surveyId) ?? one.surveyId, sessionUrl))}
    </ol>
  </section>`;
}
