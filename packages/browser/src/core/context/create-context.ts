import { AfterwordError, createEmitter, type Emitter } from "../events/index.ts";
import { askedName, createIdentity, newId } from "../identity/index.ts";
import type { Context, DebugModule, EntryPointSettings } from "./context.ts";
import { idAsText, isMisspelt, isSecret, type AfterwordOptions } from "../options/index.ts";
import { type Page, createStore, withTimeout } from "../page/index.ts";
import { createPost } from "../service/index.ts";

/** Calls `work` with a file of the widget once it has loaded. If it fails, reports that and calls `failed`. */
type WithFile = <File, Result>(
  file: Promise<File>,
  work: (file: File) => Result,
  failed?: () => void,
) => Promise<Result | void>;

/** Creates the function with which the client and its files load further files. */
const createWithFile =
  (page: Page, { report }: Pick<Emitter, "report">): WithFile =>
  (file, work, failed) =>
    withTimeout(page, file)
      .then(work)
      .catch((error) => {
        // A script tag without `crossorigin` needs no CORS headers, but files that it imports from another origin do.
        report(new AfterwordError("load_failed", `no CORS headers? ${error}`));
        failed?.();
      });

/** Creates what the client uses and shares with the chunk that asks. */
export function createContext(
  page: Page,
  options: AfterwordOptions,
  load: EntryPointSettings & { debug(): Promise<DebugModule> },
  mayStore: () => boolean,
): Context & { withFile: WithFile; stopListening(): void } {
  const prefix = `afterword:${options.key}:`;
  const isPrivate = () => !!(page.navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl;
  const store = createStore(() => page.localStorage, prefix, mayStore);
  const mayKnowDevice = () => mayStore() && !isPrivate();
  const emitter = createEmitter(page);
  const withFile = createWithFile(page, emitter);
  const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
    if (effectiveDirective === "connect-src") context.blocked = blockedURI;
  };
  const context: ReturnType<typeof createContext> = {
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
