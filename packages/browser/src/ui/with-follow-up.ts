import type { SurveyViewOptions } from "../core/survey-view.ts";
import { fetchFollowUp } from "./follow-up-file.ts";
import type { FollowUpModule } from "./follow-up.tsx";

let followUp: FollowUpModule | undefined;

/** Fetches the follow-up file. Once it has loaded, later surveys of the page call `ready` synchronously. */
export function withFollowUp(
  { loadWords, workWith }: SurveyViewOptions,
  ready: (file: FollowUpModule) => void,
  failed: () => void,
): void {
  if (followUp) ready(followUp);
  else void workWith(fetchFollowUp(loadWords), (file) => ready((followUp = file)), failed);
}
