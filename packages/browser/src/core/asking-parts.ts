import type { askedName } from "./asked-name.ts";
import type { Emitter } from "./events.ts";
import type { ExplainModule } from "./explain.ts";
import type { Identity, newId } from "./identity.ts";
import type { AfterwordOptions } from "./options.ts";
import type { Page } from "./page.ts";
import type { Reporting } from "./reporting.ts";
import type { Post } from "./request.ts";
import type { Store } from "./store.ts";
import type { LoadWords } from "./survey-view.ts";
import type { WorkWith } from "./work-with.ts";

/** What an entry point tells the file that asks. */
export interface Lent {
  /** Fetches a file of words, where files are served as they are; a bundler's imports need nothing lent. */
  words?: LoadWords;
  /** Whether the host page draws the survey with this slug itself, and needs no slot for an inline one. */
  isHeadless?: (slug: string) => boolean;
}

/** What the core lends to this chunk. */
export interface AskingParts extends Emitter, Reporting {
  page: Page;
  options: AfterwordOptions;
  /** What the entry points differ in, as far as asking cares. */
  load: Lent;
  post: Post;
  store: Store;
  /** Unfinished answers: they outlive a reload where the person has consented. */
  drafts: Store;
  /** Whether the person's browser sends Global Privacy Control. */
  isPrivate(): boolean;
  /** Lent, so that pages load the code of ids once. */
  newId: typeof newId;
  /** Fetches further files, in time or with an error. */
  workWith: WorkWith;
  /** Calls a function of the file for what is rare, with these parts first; never rejects. Pages where all goes well never load it. */
  useWords<Name extends keyof ExplainModule>(
    name: Name,
    ...given: ExplainModule[Name] extends (parts: never, ...given: infer Given) => void ? Given : never
  ): Promise<ReturnType<ExplainModule[Name]> | void>;
  askedName: typeof askedName;
  /** Who is in front of the page. */
  identity: Identity;
  /** The person does not want to be asked. */
  muted?: unknown;
  /** When bootstrap was asked last, in milliseconds since 1970: what was delivered before, it has taken into account. */
  requestedAt?: number;
}
