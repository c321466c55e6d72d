import { dayInMs } from "@afterword/protocol/duration";
import { livingRunsInMs, monthInMs, toleratedJumpInMs } from "@afterword/reference-server/internal";
import { type OperatedService } from "./operated-service.ts";
import { type RetentionKind, type RetentionRule } from "../store/retention.ts";

const rowsPerTransaction = 500;

/** Ages at which data is deleted, in days; 0 keeps it for ever. */
export interface RetentionPolicy {
  /** Responses and dismissals as a whole, and the counts of runs. Default 730. */
  responseRetentionDays: number;
  /** Texts; the rating stays. Default 365. */
  textRetentionDays: number;
  /** Texts of answers whose score the sink has refused for good; the rating stays. Default 30. */
  failedTextRetentionDays: number;
  /**
   * Which runs a person has rated, of surveys that are asked once in each run; such a run can then be asked about again.
   * Never forgotten before the tokens of the run have expired. Default 400.
   */
  runRetentionDays?: number;
}

export const defaultRetention: Required<RetentionPolicy> = {
  responseRetentionDays: 730,
  textRetentionDays: 365,
  failedTextRetentionDays: 30,
  runRetentionDays: 400,
};

export interface Forgotten {
  responsesDeleted: number;
  dismissalsDeleted: number;
  textsRemoved: number;
  runsForgotten: number;
}

export interface RetentionRun {
  /** The moment that ages are counted from, by the deletion clock. */
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
  { store }: Pick<OperatedService, "store">,
  policy: RetentionPolicy,
  { now, onProgress, signal }: RetentionRun,
): Promise<Forgotten> {
  const before = (days: number, leastInMs = 0) =>
    days === 0 ? undefined : now - Math.max(days * dayInMs, leastInMs);
  const recordsBefore = before(policy.responseRetentionDays);
  let rule: RetentionRule = {
    responsesDeleted: recordsBefore,
    dismissalsDeleted: recordsBefore,
    textsRemoved: before(policy.textRetentionDays),
    failedTextsRemoved: before(policy.failedTextRetentionDays),
    // No monthly cap counts them any more.
    asksForgotten: now - monthInMs - toleratedJumpInMs,
    runsForgotten: before(policy.runRetentionDays ?? defaultRetention.runRetentionDays, livingRunsInMs),
    runCountsForgotten: recordsBefore,
  };
  const sum: Forgotten = { responsesDeleted: 0, dismissalsDeleted: 0, textsRemoved: 0, runsForgotten: 0 };
  for (;;) {
    if (signal?.aborted) return sum;
    const counts = await store.administration.retain(rule, rowsPerTransaction);
    sum.responsesDeleted += counts.responsesDeleted;
    sum.dismissalsDeleted += counts.dismissalsDeleted;
    sum.textsRemoved += counts.textsRemoved + counts.failedTextsRemoved;
    sum.runsForgotten += counts.runsForgotten;
    onProgress?.(sum);
    // The last call forgets nothing: SQLite then takes what was forgotten off the disk.
    const kinds = Object.keys(rule) as RetentionKind[];
    if (kinds.length === 0) return sum;
    // Looking for more of what is gone costs time in each step: failed scores have no index of those with a text.
    const left = kinds.filter((kind) => counts[kind] >= rowsPerTransaction);
    rule = Object.fromEntries(left.map((kind) => [kind, rule[kind]]));
  }
}
