import type { TokenCheck } from "@afterword/protocol";
import type { Context } from "../context/index.ts";
import type { RunVote } from "../options/index.ts";

/** Tokens of things that appear within this time are checked by one request. */
const gatheredForInMs = 50;
const mostTokens = 100; // Of one request (contract section 4.10).

/**
 * Returns a function that gives a vote what the service says of its token, for which each token is sent once. What the
 * person does before the reply counts, and without a reply the vote stays open.
 */
export function createTokenChecks({ page, post }: Pick<Context, "page" | "post">) {
  const checks = new Map<string, Promise<TokenCheck | undefined>>();
  /** A run with one good token stays open, whatever became of its others. */
  const fresh = new WeakSet<RunVote>();
  let batch: string[] = [];
  let replies = Promise.resolve<TokenCheck[]>([]);
  async function replyFor(showTokens: string[]): Promise<TokenCheck[]> {
    await new Promise((gathered) => page.setTimeout(gathered, gatheredForInMs));
    if (batch === showTokens) batch = [];
    const { tokens } = (await post("/v1/sdk/tokens/check", { showTokens })).body ?? {};
    return Array.isArray(tokens) ? (tokens as TokenCheck[]) : [];
  }
  function check(token: string) {
    if (!batch[0] || batch.length === mostTokens) replies = replyFor((batch = []));
    const index = batch.push(token) - 1;
    return replies.then((tokens) => tokens[index]);
  }
  return async (token: string | undefined, vote: RunVote) => {
    const isOpen = () => /open|expired/.test(vote.getState().stage);
    if (!token || !isOpen()) return;
    if (!checks.has(token)) checks.set(token, check(token));
    const { state, answer } = (await checks.get(token)) ?? {};
    if (!state || !isOpen()) return;
    if (state === "fresh") fresh.add(vote);
    const stage = state === "used" ? "earlier" : fresh.has(vote) ? "open" : "expired";
    vote.change({ stage, rating: answer?.rating });
  };
}
