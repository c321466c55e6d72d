import type { Lent } from "./asking-parts.ts";
import type { AskingModule } from "./asking.ts";
import type { ExplainModule } from "./explain.ts";

/** The files that are fetched when they are needed: what the entry points differ in. */
export interface Loaders extends Lent {
  asking(): Promise<AskingModule>;
  /** With `debug`, and to word what went wrong. */
  explain(): Promise<ExplainModule>;
}
