import type { ExplainModule, Lent } from "./asking-parts.ts";
import type { AskingModule, ViewModule } from "./asking.ts";
import type { InlineModule } from "./inline.ts";

/** How each entry point loads the files that are fetched on demand. */
export interface Loaders extends Lent {
  /** For surveys, ratings and the answers that wait. */
  asking(): Promise<AskingModule>;
  /** For drawing a survey. */
  view(): Promise<ViewModule>;
  /** For surveys in elements of the page, each with a token of its own if it has one. */
  inline(): Promise<InlineModule>;
  /** For `debug`, error messages, and features that few pages use. */
  explain(): Promise<ExplainModule>;
}
