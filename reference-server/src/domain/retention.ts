import { idBoundary } from "./ids-and-times.ts";
import { type Service } from "./service.ts";

const dayInMs = 24 * 60 * 60_000;
const rowsPerTransaction = 500;

/** How long data is kept, in days; 0 keeps it for ever. */
export interface RetentionPolicy {
  /** Responses and dismissals as a whole. Default 730. */
  responseRetentionDays: number;
  /** Texts; the rating stays. Default 365. */
  textRetentionDays: number;
  /** Texts of answers whose score the sink has refused for good; the rating stays. Default 30. */
  failedTextRetentionDays: number;
}

export const defaultRetention: RetentionPolicy = {
  responseRetentionDays: 730,
  textRetentionDays: 365,
  failedTextRetentionDays: 30,
};

export interface Forgotten {
  responsesDeleted: number;
  dismissalsDeleted: number;
  textsRemoved: number;
}

export interface RetentionRun {
  /** What ages are counted from, as the deletion clock gives it. */
  now: number;
  /** Told after each transaction. */
  onProgress?: (forgotten: Forgotten) => void;
  /** Ends it between two transactions; what is left waits for the next run. */
  signal?: AbortSignal;
}

/**
 * Forgets what is older than the policy allows, in many short transactions, so that requests are answered in between.
 * Suppression stays, as after an erasure.
 */
export async function forgetOldData(
  { store }: Pick<Service, "store">,
  policy: RetentionPolicy,
  { now, onProgress, signal }: RetentionRun,
): Promise<Forgotten> {
  const boundary = (days: number) => (days === 0 ? undefined : idBoundary(now - days * dayInMs));
  const recordsBeforeId = boundary(policy.responseRetentionDays);
  const failedTextsBeforeId = boundary(policy.failedTextRetentionDays);
  let textsBeforeId = boundary(policy.textRetentionDays);
  let textsAfterId: string | undefined;
  const sum: Forgotten = { responsesDeleted: 0, dismissalsDeleted: 0, textsRemoved: 0 };
  for (;;) {
    if (signal?.aborted) return sum;
    const texts = { textsBeforeId, textsAfterId, failedTextsBeforeId };
    const rule = { recordsBeforeId, ...texts, limit: rowsPerTransaction };
    const counts = await store.administration.retain(rule);
    const { responsesDeleted, dismissalsDeleted, textsRemoved, failedTextsRemoved } = counts;
    sum.responsesDeleted += responsesDeleted;
    sum.dismissalsDeleted += dismissalsDeleted;
    sum.textsRemoved += textsRemoved + failedTextsRemoved;
    onProgress?.(sum);
    textsAfterId = counts.textsThroughId;
    if (textsAfterId === undefined) textsBeforeId = undefined;
    const goneForGood = responsesDeleted + dismissalsDeleted + failedTextsRemoved;
    if (goneForGood === 0 && textsAfterId === undefined) return sum;
  }
}
