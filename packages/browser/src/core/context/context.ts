import type { askedName, Identity, newId } from "../identity/index.ts";
import type { Emitter, Reporting } from "../events/index.ts";
import type { AfterwordOptions } from "../options/index.ts";
import type { Page, Store } from "../page/index.ts";
import type { Post } from "../service/index.ts";
import type { LoadWords } from "../survey/index.ts";

/** The file for `debug`, for error messages, and for features that few pages use. */
export type DebugModule = typeof import("../explain/index.ts");

/** What each entry point configures. */
export interface EntryPointSettings {
  /** Fetches a file of texts where files are served as built; bundlers resolve those imports themselves. */
  words?: LoadWords;
  /** Whether the host page draws the survey with this slug itself, and needs no slot for an inline one. */
  isHeadless?: (slug: string) => boolean;
}

/** What the core shares with this chunk. */
export interface Context extends Emitter, Reporting {
  page: Page;
  options: AfterwordOptions;
  entryPoint: EntryPointSettings;
  post: Post;
  store: Store;
  /** Unfinished answers: they outlive a reload where the person has consented. */
  drafts: Store;
  /** Whether the person's browser sends Global Privacy Control. */
  isPrivate(): boolean;
  /** Shared, so that pages load this code once. */
  newId: typeof newId;
  /** Calls `work` with the file for what few pages need. Never rejects. */
  withDebugFile<Result>(work: (file: DebugModule) => Result): Promise<Result | void>;
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
