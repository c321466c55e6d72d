import type { SurveyViewOptions } from "../core/survey-view.ts";
import { fetchFollowUp } from "./follow-up-file.ts";
import type { FollowUpModule } from "./follow-up.tsx";

let followUp: FollowUpModule | undefined;

/** Fetches what most surveys draw later. Once it is there, all later surveys of the page call `ready` at once. */
export function withFollowUp(
  { loadWords, workWith }: SurveyViewOptions,
  ready: (file: FollowUpModule) => void,
  failed: () => void,
): void {
  if (followUp) ready(followUp);
  else void workWith(fetchFollowUp(loadWords), (file) => ready((followUp = file)), failed);
}
