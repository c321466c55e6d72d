import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import { type SurveyConfig } from "@afterword/reference-server/internal";
import { type AsServer } from "./memory-forward.ts";
import { previewPrefix } from "./watch-requests.ts";

/** Whether its preview draws thumbs: people rate an answer by themselves, so nothing prompts them. */
const isForThumbs = ({ type, unprompted }: SurveyConfig) => type === "csat" && unprompted === true;

const place = (survey: SurveyConfig, sessionId: string, token: string | undefined) =>
  isForThumbs(survey)
    ? html`<afterword-thumbs
        survey-id="${survey.id}"
        session-id="${sessionId}"
        token="${token ?? ""}"
      ></afterword-thumbs>`
    : html`<div data-afterword-slot="${survey.slug}"></div>`;

/** A page with one survey, for a person and a run of its own, whose token is minted as a customer's server does it. */
export async function previewPage(survey: SurveyConfig, key: string, baseUrl: string, asServer: AsServer) {
  const respondentId = `${previewPrefix}${randomUUID().slice(0, 8)}`;
  const sessionId = `${previewPrefix}run-${randomUUID().slice(0, 8)}`;
  const reply = await asServer("/v1/sdk/tokens", { respondentId, sessionId, surveyId: survey.id });
  const { tokens = {} } = (await reply.json()) as { tokens?: Record<string, string> };
  const token = tokens[survey.id];
  const given = JSON.stringify({ survey, respondentId, sessionId, token, isThumbs: isForThumbs(survey) });
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Preview of ${survey.slug}</title>
        <link rel="stylesheet" href="/dev/style.css" />
      </head>
      <body class="preview" data-given="${given}">
        <main aria-label="Your page">
          <p class="message">Your order was refunded. The money is on its way.</p>
          ${place(survey, sessionId, token)}
        </main>
        <p id="note" role="status"></p>
        <script src="/watch.js"></script>
        <script src="/dev/assets/preview.js"></script>
        <script
          async
          src="/widget/afterword.js"
          data-key="${key}"
          data-base-url="${baseUrl}"
          data-linked-only
        ></script>
        ${isForThumbs(survey) ? html`<script type="module" src="/widget/afterword-thumbs.js"></script>` : ""}
      </body>
    </html>`;
}
