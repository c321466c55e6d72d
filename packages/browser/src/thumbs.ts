import type { Afterword } from "./core/public/index.ts";
import { watchEvents } from "./core/page/index.ts";
import { defineThumbs, type ThumbsAppearance } from "./thumbs/thumbs-element.tsx";

/**
 * Defines `<afterword-thumbs survey-id session-id token>`: two thumbs that rate one run, 5 or 1 on a csat survey. Does
 * nothing on a server, which has no elements. A second call makes later elements vote with the new `rate`.
 * @example
 * defineThumbsElement(createAfterword({ key: "aw_pk_…", baseUrl: "https://feedback.example.com" }).rate);
 */
export function defineThumbsElement(rate: Afterword["rate"], appearance: ThumbsAppearance = {}): void {
  if (!globalThis.customElements) return;
  watchEvents(window);
  defineThumbs(rate, appearance, { details: () => import("./thumbs/vote-details.tsx") });
}

export { createThumbs, type Thumbs, type ThumbsOptions } from "./thumbs/create-thumbs.ts";
export type { Afterword, InstalledToken, RatedRun, RateOptions, RunWithTokens } from "./core/public/index.ts";
export type { RunVote, Vote, VoteState, VoteState as ThumbsState } from "./core/public/index.ts";
export type { AllThumbsTexts, SurveyTexts, ThumbsTexts } from "./core/public/index.ts";
export type { AfterwordThumbsElement, ThumbsAppearance } from "./thumbs/thumbs-element.tsx";
