import type { SurveyDefinition, SurveyType } from "@afterword/protocol";
import { ratingsOf } from "@afterword/protocol/rating-scale";
import { surveyWords } from "@afterword/protocol/survey-words";
import type { SubmitResult, SurveyViewOptions } from "../src/core/public/index.ts";
import { watchEvents } from "../src/core/page/index.ts";
import { showSurvey } from "../src/ui/index.ts";
import type { Report } from "./report.ts";
import { sampleSurvey } from "./sample-survey.ts";
import { showThumbs } from "./show-thumbs.ts";

/** Takes the options of one view from an address such as `?type=nps&place=banner&stage=rated&theme=dark`. */
function viewOptions(search: string): SurveyViewOptions {
  const query = new URLSearchParams(search);
  const get = (name: string) => query.get(name) ?? undefined;
  const [presentation = "corner", edge] = get("place")?.split(" ") ?? [];
  const language = get("language") ?? "en";
  const definition = {
    presentation: presentation as SurveyDefinition["presentation"],
    corner: edge as SurveyDefinition["corner"],
    ...(JSON.parse(get("definition") ?? "{}") as Partial<SurveyDefinition>),
  };
  const survey = sampleSurvey((get("type") ?? "csat") as SurveyType, language, definition);
  const report = (...entry: Report) => void window.reports.push(entry);
  return {
    ...(JSON.parse(get("options") ?? "{}") as object),
    survey,
    ratings: ratingsOf(survey),
    words: (rating) => surveyWords(survey, "", rating),
    banner: edge as "bottom" | undefined,
    slot: presentation === "inline" ? document.querySelector<HTMLElement>("#slot")! : undefined,
    language,
    theme: get("theme") as "dark" | undefined,
    density: get("density") as "compact" | undefined,
    openedByPerson: get("opened") === "true",
    draft: JSON.parse(get("draft") ?? "{}") as SurveyViewOptions["draft"],
    saveDraft: (draft) => report("saveDraft", draft),
    shown: () => undefined,
    rate: (rating) => report("rated", rating),
    submit: (answer) => {
      report("submit", answer);
      const result = get("result") ?? "stored";
      // A result called "never" leaves the answer on its way for as long as one looks at it.
      const waitMs = Number(get("waitMs") ?? 0);
      return new Promise((resolve) => {
        if (result !== "never") setTimeout(() => resolve(result as SubmitResult), waitMs);
      });
    },
    dismiss: () => report("dismiss"),
    leave: () => report("leave"),
    closed: () => report("closed"),
    reportError: (error) => report("error", String(error)),
  };
}

window.reports = [];
watchEvents(window);
window.show = (search = location.search) => showSurvey(viewOptions(search));
const query = new URLSearchParams(location.search);
document.documentElement.lang = query.get("language") ?? "en";
const page = query.get("page");
if (page) document.documentElement.classList.add(...page.split(" "));
if (query.get("place")?.startsWith("inline")) document.querySelector("#slot")!.className = "reserved";
const thumbs = query.get("thumbs");
if (thumbs) await showThumbs(thumbs, document.documentElement.lang);
else if (!query.has("later")) {
  await document.fonts.ready;
  window.show();
  // Past the asking: as a person would, by the button.
  if (query.has("result")) {
    const send = () =>
      document.querySelector("afterword-view")?.shadowRoot?.querySelector<HTMLElement>("[part=send]");
    while (!send()) await new Promise(requestAnimationFrame);
    send()?.click();
  }
}
