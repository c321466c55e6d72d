import type { BootstrapReply } from "@afterword/protocol";
import type { AfterwordError } from "./afterword-error.ts";
import type { Respondent } from "./identity.ts";
import type { Page } from "./page.ts";
import { replyError, type Post } from "./request.ts";

/** The surveys and show-tokens of the current respondent. */
export interface Definitions {
  /** Asks the service once; again after a failure, or when the tokens have grown old. Never rejects. */
  load(respondent: Respondent, isPrivate: boolean): Promise<BootstrapReply | undefined>;
  /** Another respondent: what is known, or on its way, is about somebody else. */
  drop(): void;
}

const path = "/v1/sdk/bootstrap";
// Unbound tokens live 24 hours by default (decision D2): a tab that was left open gets new ones before it asks.
const freshForInMs = 12 * 3_600_000;

export function createDefinitions(
  { Date }: Page,
  post: Post,
  report: (error: AfterwordError) => void,
): Definitions {
  let loading: Promise<BootstrapReply | undefined> | undefined;
  let renewAt = 0;

  return {
    load({ id, traits }, isPrivate) {
      if (loading && Date.now() < renewAt) return loading;
      renewAt = Infinity;
      const mine = post(path, { userId: id, traits: isPrivate ? undefined : traits }).then((reply) => {
        if (loading !== mine) return undefined;
        const { body } = reply;
        const isUsable = Array.isArray(body?.["surveys"]);
        renewAt = Date.now() + (isUsable ? freshForInMs : reply.retryAfterInMs);
        if (isUsable) return body as unknown as BootstrapReply;
        report(replyError(path, reply));
        return undefined;
      });
      return (loading = mine);
    },
    drop() {
      loading = undefined;
    },
  };
}
