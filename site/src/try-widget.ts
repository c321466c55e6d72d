import { createAfterword, type SurveyDefinition } from "../../packages/browser/dist/npm/index.js";
import { defineThumbsElement, type Afterword } from "../../packages/browser/dist/npm/thumbs.js";
// The package does not export it: only a `rate` without a service has to make one.
import { createVote } from "../../packages/browser/src/core/rating/run-votes.ts";

// The widget of the first page: the built one, with no service behind it. A preview sends and remembers nothing, and consent
// that nobody gives keeps everything else from being sent.

const afterword = createAfterword({ key: "aw_pk_preview", baseUrl: location.origin, consent: "required" });

const survey = {
  id: "satisfaction",
  slug: "satisfaction",
  type: "csat",
  question: "How well did the agent do this task?",
  followUpQuestion: "What should it have done differently?",
  endLabels: { low: "Badly", high: "Very well" },
  trigger: "manual",
} as const;

const show = (presentation: SurveyDefinition["presentation"], openedByPerson: boolean) =>
  afterword.preview({ ...survey, presentation }, { openedByPerson });

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-presentation]"))
  button.addEventListener("click", () =>
    show(button.dataset["presentation"] as SurveyDefinition["presentation"], true),
  );
show("inline", false);

/** Keeps a vote as long as a service would wait for it, and then forgets it. */
const rate: Afterword["rate"] = async (_run, _answer, options) => {
  const { delayInMs = 0, ready, suggest } = options ?? {};
  ready?.(createVote());
  suggest?.([]);
  // While the person is busy with the line, it waits without end, and timers end at 31 bits.
  await new Promise((resolve) => setTimeout(resolve, Math.min(delayInMs, 2 ** 31 - 1)));
  return "stored" as const;
};
defineThumbsElement(rate);
