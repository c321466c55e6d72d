import { AfterwordError } from "./afterword-error.ts";
import { askedName } from "./asked-name.ts";
import type { AskingParts } from "./asking-parts.ts";
import { createEmitter } from "./events.ts";
import { createIdentity, newId } from "./identity.ts";
import { isMisspelt } from "./known-options.ts";
import type { Loaders } from "./loaders.ts";
import type { AfterwordOptions } from "./options.ts";
import type { Page } from "./page.ts";
import { createPost } from "./request.ts";
import { createStore } from "./store.ts";
import { createWorkWith } from "./work-with.ts";

/** Creates what the client uses and shares with the chunk that asks. */
export function createParts(
  page: Page,
  options: AfterwordOptions,
  load: Loaders,
  mayStore: () => boolean,
): AskingParts & { load: Loaders; stopListening(): void } {
  const prefix = `afterword:${options.key}:`;
  const isPrivate = () => !!(page.navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl;
  const store = createStore(() => page.localStorage, prefix, mayStore);
  const mayKnowDevice = () => mayStore() && !isPrivate();
  const emitter = createEmitter(page);
  const workWith = createWorkWith(page, emitter);
  const onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
    if (effectiveDirective === "connect-src") parts.blocked = blockedURI;
  };
  const parts: ReturnType<typeof createParts> = {
    ...emitter,
    workWith,
    withDebugFile: (work) => workWith(load.explain(), work),
    page,
    options,
    load,
    store,
    post: createPost(page, options),
    drafts: createStore(() => page.sessionStorage, `${prefix}draft:`, mayStore),
    isPrivate,
    stopListening: () => page.document.removeEventListener("securitypolicyviolation", onViolation),
    askedName,
    newId,
    AfterwordError,
    identity: createIdentity(store, page, mayKnowDevice, options.conversationId),
  };
  // Fired before the words for it have loaded.
  page.document.addEventListener("securitypolicyviolation", onViolation);
  if (Object.entries(options).some(isMisspelt))
    void parts.withDebugFile(({ tellOptions }) => tellOptions(parts));
  return parts;
}
