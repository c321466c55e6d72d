import { type Service } from "./service.ts";
import { forgettableBefore } from "./show-token.ts";

const tokensPerTransaction = 2000;

/**
 * Forgets the tokens whose life has ended, in short transactions, so that requests are answered in between: after a long
 * standstill there may be millions of them. Forgets none while the clock is not believed.
 *
 * @param signal ends it between two transactions; the next call goes on from there
 */
export async function forgetExpiredTokens(
  { store, deletionClock }: Pick<Service, "store" | "deletionClock">,
  signal?: AbortSignal,
): Promise<void> {
  const now = await deletionClock.forCleanUp();
  if (now === undefined) return;
  const before = forgettableBefore(now);
  for (;;) {
    if (signal?.aborted) return;
    const forgotten = await store.forgetExpiredTokens(before, tokensPerTransaction);
    if (forgotten < tokensPerTransaction) return;
  }
}
