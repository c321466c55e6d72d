import { commandsOf } from "./commands.ts";
import type { AfterwordOptions } from "./core/options.ts";
import type { Page } from "./core/page.ts";
import { openHeadless, type HeadlessAfterword } from "./open-headless.ts";

/**
 * Afterword without a widget: everything that decides when to ask whom and that nothing is lost, with state and
 * actions for a page that draws the survey itself.
 *
 * On a server nothing happens: every command is there and does nothing.
 *
 * @param page What stands in for `window`, for tests.
 */
export function createHeadlessAfterword(options: AfterwordOptions, page?: Page): HeadlessAfterword {
  if (!page && typeof window === "undefined") {
    return { ...commandsOf(() => () => {}), getSurvey: () => undefined, subscribe: () => () => {} };
  }
  return openHeadless(options, page ?? window, {
    asking: () => import("./core/asking.ts"),
    explain: () => import("./core/explain.ts"),
  });
}

export { AfterwordError, type AfterwordErrorCode } from "./core/afterword-error.ts";
export type { Afterword } from "./core/afterword.ts";
export type {
  AboutSurvey,
  AfterwordEventName,
  AfterwordEvents,
  AfterwordListener,
  NotShownReason,
} from "./core/events.ts";
export type {
  AfterwordOptions,
  AskOptions,
  ConsentMode,
  InstalledToken,
  RateOptions,
} from "./core/options.ts";
export type { SubmitResult, SurveyAnswer, SurveyDraft } from "./core/survey-view.ts";
export type { HeadlessAfterword, HeadlessSurvey } from "./open-headless.ts";
export type {
  SurveyDefinition,
  SurveyType,
  TargetingOperator,
  TargetingRule,
  Traits,
} from "@afterword/protocol";
