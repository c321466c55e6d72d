import { inTime } from "../core/in-time.ts";
import type { SurveyViewOptions } from "../core/survey-view.ts";
import { fetchFollowUp } from "./follow-up-file.ts";
import type { FollowUpModule } from "./follow-up.tsx";
import type { Page } from "./top-layer.ts";

let followUp: FollowUpModule | undefined;
let fetching: Promise<FollowUpModule> | undefined;

/** Fetches what most surveys draw later, once for all surveys of the page. Where it is there, `ready` is called at once. */
export function withFollowUp(
  { loadWords, reportError }: SurveyViewOptions,
  page: Page,
  ready: (file: FollowUpModule) => void,
  failed: () => void,
): void {
  if (followUp) return ready(followUp);
  fetching ??= inTime(page, fetchFollowUp(loadWords)).then((file) => (followUp = file));
  fetching.then(ready, (error) => {
    fetching = undefined;
    reportError(error, "load_failed");
    failed();
  });
}
