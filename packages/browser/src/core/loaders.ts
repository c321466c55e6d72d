import type { AskingModule } from "./asking.ts";
import type { ExplainModule } from "./explain.ts";
import type { ShowSurvey } from "./survey-view.ts";

/** The files that are fetched when they are needed: what the entry points differ in. */
export interface Loaders {
  view(): Promise<{ showSurvey: ShowSurvey }>;
  asking(): Promise<AskingModule>;
  /** With `debug`. */
  explain(): Promise<ExplainModule>;
  /** The host page draws by itself and needs no slot for an inline survey. */
  isHeadless?: boolean;
}
