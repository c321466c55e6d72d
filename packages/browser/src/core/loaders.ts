import type { Lent } from "./asking-parts.ts";
import type { AskingModule } from "./asking.ts";
import type { ExplainModule } from "./explain.ts";
import type { InlineModule } from "./inline.ts";

/** How each entry point loads the files that are fetched on demand. */
export interface Loaders extends Lent {
  asking(): Promise<AskingModule>;
  /** For surveys in elements of the page, each with a token of its own if it has one. */
  inline(): Promise<InlineModule>;
  /** For `debug` and error messages. */
  explain(): Promise<ExplainModule>;
}
