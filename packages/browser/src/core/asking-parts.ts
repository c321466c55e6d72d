import type { askedName } from "./asked-name.ts";
import type { Emitter } from "./events.ts";
import type { Identity, newId } from "./identity.ts";
import type { AfterwordOptions } from "./options.ts";
import type { Page } from "./page.ts";
import type { Reporting } from "./reporting.ts";
import type { Post } from "./request.ts";
import type { Store } from "./store.ts";
import type { LoadWords } from "./survey-view.ts";
import type { WorkWith } from "./work-with.ts";

/** The file for `debug`, for error messages, and for features that few pages use. */
export type ExplainModule = typeof import("./explain.ts");

/** What each entry point configures. */
export interface Lent {
  /** Fetches a file of texts where files are served as built; bundlers resolve those imports themselves. */
  words?: LoadWords;
  /** Whether the host page draws the survey with this slug itself, and needs no slot for an inline one. */
  isHeadless?: (slug: string) => boolean;
}

/** What the core shares with this chunk. */
export interface AskingParts extends Emitter, Reporting {
  page: Page;
  options: AfterwordOptions;
  /** The differences between entry points that matter for asking. */
  load: Lent;
  post: Post;
  store: Store;
  /** Unfinished answers: they outlive a reload where the person has consented. */
  drafts: Store;
  /** Whether the person's browser sends Global Privacy Control. */
  isPrivate(): boolean;
  /** Shared, so that pages load this code once. */
  newId: typeof newId;
  /** Fetches further files, in time or with an error. */
  workWith: WorkWith;
  /** Calls `work` with the file for what few pages need. Never rejects. */
  withDebugFile<Result>(work: (file: ExplainModule) => Result): Promise<Result | void>;
  askedName: typeof askedName;
  /** The current person. */
  identity: Identity;
  /** Whether the person does not want to be asked. */
  muted?: unknown;
  /** The last address that a content security policy of the page has blocked. */
  blocked?: string;
  /** Time of the last bootstrap in milliseconds since 1970; its reply reflects all answers delivered before. */
  requestedAt?: number;
}
