import type { AfterwordOptions, LoadWords } from "../public/index.ts";
import { createEmitter, isMisspelt, isSecret, idAsText } from "../public/index.ts";
import { askedName, createIdentity, newId } from "./identity.ts";
import { type Page, createStore, withTimeout, createPost } from "../page/index.ts";

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
export type Context = ReturnType<typeof createContext>;

export function createContext(
  page: Page,
  options: AfterwordOptions,
  load: EntryPointSettings & { debug(): Promise<DebugModule> },
  mayStore: () => boolean,
) {
  const prefix = `afterword:${options.key}:`;
  const isPrivate = () => !!(page.navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl;
  const store = createStore(() => page.localStorage, prefix, mayStore);
  const mayKnowDevice = () => mayStore() && !isPrivate();
  const emitter = createEmitter(page);
  const over = new page.AbortController();
  /** Calls `work` with a file of the widget once it has loaded. If that fails, reports it and calls `failed`. Never rejects. */
  const withFile = <File, Result>(
    file: Promise<File>,
    work: (file: File) => Result,
    failed?: () => void,
  ): Promise<Result | void> =>
    withTimeout(page, file)
      .then(work)
      .catch((error) => {
        // A script tag without `crossorigin` needs no CORS headers, but files that it imports from another origin do.
        emitter.report(emitter.errorOf(`no CORS headers? ${error}`, "load_failed"));
        failed?.();
      });
  const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
    if (effectiveDirective === "connect-src") context.blocked = blockedURI;
  };
  const context = {
    ...emitter,
    page,
    options,
    entryPoint: load as EntryPointSettings,
    post: createPost(page, options),
    store,
    /** Texts without a rating, of surveys in one's own design: they outlive a reload where the person has consented. */
    drafts: createStore(() => page.sessionStorage, `${prefix}draft:`, mayStore),
    /** Whether the person's browser sends Global Privacy Control. */
    isPrivate,
    identity: createIdentity(store, page, mayKnowDevice, idAsText(options.conversationId)),
    askedName,
    newId,
    withFile,
    /** The same with the file for what few pages need. */
    withDebugFile: <Result>(work: (file: DebugModule) => Result) => withFile(load.debug(), work),
    /** Whether the person does not want to be asked. */
    muted: undefined as unknown,
    /** The last address that a content security policy of the page has blocked. */
    blocked: undefined as string | undefined,
    /** Time of the last bootstrap in milliseconds since 1970; its reply reflects all answers delivered before. */
    requestedAt: undefined as number | undefined,
    /** Aborts when Afterword is shut down, and ends all listening. */
    over,
  };
  // Fired before the words for it have loaded.
  page.document.addEventListener("securitypolicyviolation", onViolation, over);
  if (isSecret(options.key) || Object.entries(options).some(isMisspelt))
    void context.withDebugFile(({ reportOptions }) => reportOptions(context));
  return context;
}
