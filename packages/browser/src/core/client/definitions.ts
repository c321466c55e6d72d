import type { BootstrapReply } from "@afterword/protocol";
import type { Failure } from "../explain/index.ts";
import type { Context } from "../context/index.ts";

const path = "/v1/sdk/bootstrap";
// Unbound tokens live 24 hours by default, so a tab left open gets new ones before it asks.
const freshForInMs = 12 * 3_600_000;

/**
 * The surveys and show-tokens of the current respondent.
 *
 * @param askAgain Called once by itself after the wait that a busy service asks for.
 */
export function createDefinitions(context: Context, askAgain: () => void) {
  const { page } = context;
  const { Date } = page;
  let loading: Promise<BootstrapReply | undefined> | undefined;
  let renewAt = 0;
  let isRepeat = false;
  let timer: number | undefined;

  const definitions = {
    /** Why the last reply had no surveys. */
    failure: undefined as Failure | undefined,
    /** Asks the service once, and again after a failure or when the tokens are too old, but for `onlyKnown`. Never rejects. */
    load(onlyKnown?: boolean): Promise<BootstrapReply | undefined> {
      if (onlyKnown || (loading && Date.now() < renewAt)) return loading ?? Promise.resolve(undefined);
      renewAt = Infinity;
      definitions.failure = undefined;
      context.requestedAt = Date.now();
      const { id, traits } = context.identity.current();
      const mine = context
        .post(path, { userId: id, traits: context.isPrivate() ? undefined : traits })
        .then(async (reply) => {
          if (loading !== mine) return undefined;
          const body = reply.body as Partial<BootstrapReply> | undefined;
          if (Array.isArray(body?.surveys)) {
            renewAt = Date.now() + freshForInMs;
            isRepeat = false;
            return body as BootstrapReply;
          }
          renewAt = 0;
          await context.withDebugFile(async ({ failureOf }) => {
            const failure = await failureOf(context, path, reply, isRepeat);
            if (loading !== mine) return;
            definitions.failure = failure;
            renewAt = Date.now() + failure.waitInMs;
            isRepeat = !!failure.repeatInMs;
            if (isRepeat) timer = page.setTimeout(askAgain, failure.repeatInMs);
          });
          return undefined;
        });
      return (loading = mine);
    },
    /** Drops what is known or being fetched about the previous respondent. */
    drop() {
      loading = undefined;
      isRepeat = false;
      page.clearTimeout(timer);
    },
  };
  return definitions;
}
