import type { Lent } from "./asking-parts.ts";
import type { AskingModule } from "./asking.ts";
import type { ExplainModule } from "./explain.ts";
import type { InlineModule } from "./inline.ts";

/** The files that are fetched when they are needed: what the entry points differ in. */
export interface Loaders extends Lent {
  asking(): Promise<AskingModule>;
  /** For surveys in elements of the page, each with a token of its own if it has one. */
  inline(): Promise<InlineModule>;
  /** With `debug`, and to word what went wrong. */
  explain(): Promise<ExplainModule>;
}
