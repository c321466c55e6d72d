import type { BootstrapReply } from "@afterword/protocol";
import type { AskingParts } from "../parts/index.ts";

/** The surveys and show-tokens of the current respondent. */
export interface Definitions {
  /** Asks the service once, and again after a failure or when the tokens are too old. Never rejects. */
  load(): Promise<BootstrapReply | undefined>;
  /** Drops what is known or being fetched about the previous respondent. */
  drop(): void;
}

const path = "/v1/sdk/bootstrap";
// Unbound tokens live 24 hours by default, so a tab left open gets new ones before it asks.
const freshForInMs = 12 * 3_600_000;

export function createDefinitions(parts: AskingParts): Definitions {
  const { Date } = parts.page;
  let loading: Promise<BootstrapReply | undefined> | undefined;
  let renewAt = 0;

  return {
    load() {
      if (loading && Date.now() < renewAt) return loading;
      renewAt = Infinity;
      parts.requestedAt = Date.now();
      const { id, traits } = parts.identity.current();
      const mine = parts
        .post(path, { userId: id, traits: parts.isPrivate() ? undefined : traits })
        .then((reply) => {
          if (loading !== mine) return undefined;
          const body = reply.body as Partial<BootstrapReply> | undefined;
          if (Array.isArray(body?.surveys)) {
            renewAt = Date.now() + freshForInMs;
            return body as BootstrapReply;
          }
          renewAt = 0;
          const wait = (waitInMs: number) => {
            if (loading === mine) renewAt = Date.now() + waitInMs;
          };
          void parts.withDebugFile(({ reportReply }) => reportReply(parts, path, reply, wait));
          return undefined;
        });
      return (loading = mine);
    },
    drop() {
      loading = undefined;
    },
  };
}
