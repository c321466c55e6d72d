import type { askedName } from "./asked-name.ts";
import type { Emitter } from "./events.ts";
import type { ExplainModule } from "./explain.ts";
import type { Identity, newId } from "./identity.ts";
import type { AfterwordOptions, InstalledToken } from "./options.ts";
import type { Page } from "./page.ts";
import type { Reporting } from "./reporting.ts";
import type { Post } from "./request.ts";
import type { Store } from "./store.ts";
import type { LoadWords } from "./survey-view.ts";

/** What an entry point tells the file that asks. */
export interface Lent {
  /** Fetches a file of words, where files are served as they are; a bundler's imports need nothing lent. */
  words?: LoadWords;
  /** The host page draws by itself and needs no slot for an inline survey. */
  isHeadless?: boolean;
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
  /** Lets the file that words what went wrong do something; pages where all goes well never load it. */
  useWords(work: (words: ExplainModule) => void): void;
  askedName: typeof askedName;
  /** Session-bound tokens by survey id. */
  installed: ReadonlyMap<string, InstalledToken>;
  /** Who is in front of the page. */
  identity: Identity;
}
