import type { DebugModule, EntryPointSettings } from "../context/index.ts";
import type { Inline, OpenSurveys } from "../asking/index.ts";
import type { createRate } from "../rating/index.ts";
import type { ShowSurvey } from "../survey/index.ts";

/** How each entry point loads the files that are fetched on demand. */
export interface Loaders extends EntryPointSettings {
  /** For surveys and the answers that wait. */
  asking(): Promise<{ OpenSurveys: typeof OpenSurveys }>;
  /** For ratings outside a survey, beside that for surveys. */
  rating(): Promise<{ createRate: typeof createRate }>;
  /** For drawing a survey. */
  view(): Promise<{ showSurvey: ShowSurvey }>;
  /** For surveys in elements of the page, each with a token of its own if it has one. */
  inline(): Promise<{ Inline: typeof Inline }>;
  /** For `debug`, error messages, and features that few pages use. */
  debug(): Promise<DebugModule>;
}
