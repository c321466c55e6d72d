import type { AskingModule } from "./asking.ts";
import type { ExplainModule } from "./explain.ts";
import type { LoadWords } from "./survey-view.ts";

/** The files that are fetched when they are needed: what the entry points differ in. */
export interface Loaders {
  asking(): Promise<AskingModule>;
  /** With `debug`, and to word what went wrong. */
  explain(): Promise<ExplainModule>;
  /** Fetches a file of words, where files are served as they are; a bundler's imports need nothing lent. */
  words?: LoadWords;
  /** The host page draws by itself and needs no slot for an inline survey. */
  isHeadless?: boolean;
}
