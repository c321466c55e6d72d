import { AfterwordError, createEmitter, type Emitter, type Reporting } from "../events/index.ts";
import { askedName, createIdentity, idAsText, newId, type Identity } from "../identity/index.ts";
import { isMisspelt, isSecret, type AfterwordOptions } from "../options/index.ts";
import { type Page, type Store, createStore, withTimeout } from "../page/index.ts";
import { createPost, type Post } from "../service/index.ts";
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

/** What the files of the core share, so that those which are loaded later bring none of it again. */
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
  newId: typeof newId;
  /** Calls `work` with a file of the widget once it has loaded. If that fails, reports it and calls `failed`. Never rejects. */
  withFile<F, Result>(
    file: Promise<F>,
    work: (file: F) => Result,
    failed?: () => void,
  ): Promise<Result | void>;
  /** The same with the file for what few pages need. */
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
  stopListening(): void;
}

export function createContext(
  page: Page,
  options: AfterwordOptions,
  load: EntryPointSettings & { debug(): Promise<DebugModule> },
  mayStore: () => boolean,
): Context {
  const prefix = `afterword:${options.key}:`;
  const isPrivate = () => !!(page.navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl;
  const store = createStore(() => page.localStorage, prefix, mayStore);
  const mayKnowDevice = () => mayStore() && !isPrivate();
  const emitter = createEmitter(page);
  const withFile: Context["withFile"] = (file, work, failed) =>
    withTimeout(page, file)
      .then(work)
      .catch((error) => {
        // A script tag without `crossorigin` needs no CORS headers, but files that it imports from another origin do.
        emitter.report(new AfterwordError("load_failed", `no CORS headers? ${error}`));
        failed?.();
      });
  const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
    if (effectiveDirective === "connect-src") context.blocked = blockedURI;
  };
  const context: Context = {
    ...emitter,
    withFile,
    withDebugFile: (work) => withFile(load.debug(), work),
    page,
    options,
    entryPoint: load,
    store,
    post: createPost(page, options),
    drafts: createStore(() => page.sessionStorage, `${prefix}draft:`, mayStore),
    isPrivate,
    stopListening: () => page.document.removeEventListener("securitypolicyviolation", onViolation),
    askedName,
    newId,
    AfterwordError,
    identity: createIdentity(store, page, mayKnowDevice, idAsText(options.conversationId)),
  };
  // Fired before the words for it have loaded.
  page.document.addEventListener("securitypolicyviolation", onViolation);
  if (isSecret(options.key) || Object.entries(options).some(isMisspelt))
    void context.withDebugFile(({ reportOptions }) => reportOptions(context));
  return context;
}
