/** How many scores met which end. */
export interface DeliveryCounts {
  /** Accepted by the sink. */
  delivered: number;
  /** Refused by the sink for good, and acknowledged as failed. */
  failed: number;
  /** Attempts that ended in `retry`; one score may count several times. */
  retried: number;
}

export const noCounts: Readonly<DeliveryCounts> = { delivered: 0, failed: 0, retried: 0 };

/** What was added since an earlier reading. */
export function countsSince(now: DeliveryCounts, before: DeliveryCounts): DeliveryCounts {
  return {
    delivered: now.delivered - before.delivered,
    failed: now.failed - before.failed,
    retried: now.retried - before.retried,
  };
}
