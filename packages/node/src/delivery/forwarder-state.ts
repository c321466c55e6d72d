import type { Leased, PendingScore, ScoreResult } from "@afterword/protocol";
import type { DeliverableScore, Outcome } from "../scores/sink.ts";

/*
 * The core of a forwarder is free of I/O: what happens changes its state (forwarder-core.ts), and a plan says what is due then
 * (plan.ts): effects, and when to plan again. delivery-loop.ts carries the effects out and tells the core what came of them.
 * Moments are of the monotonic clock; only the `at` of a score and `beyondAt` are times of day.
 *
 * A run lasts from `start()`, `runOnce()` or `stop()` until it ends: it polls until it is stopped, or drains the queue. A pass
 * reads the queue once, page by page. The way of a score: `#poll` (delivery-loop.ts) lists it, `acceptPage` of the core enters
 * it in the book, `#push` of the plan marks it as pushing, `callSink` (sink-call.ts) prepares it and calls the sink. Its outcome comes
 * back by `finishCall` of the core, and waits among the acknowledgements until `#acknowledge` of the plan sends it.
 *
 * The states of a score. The service lists it until it has taken its acknowledgement.
 *
 *              a page lists it
 *                     |
 *                     v
 *     +----------> listed ------> released: listed for a minute, or the run ends
 *     |               |
 *     | a later       | the sink has room
 *     | pass lists    v
 *     | it when    pushing -----> released: the run ended before the call did
 *     | due           |
 *     |     +---------+-----------------+
 *     |     | retry, fatal, kept,       | delivered, permanent
 *     |     v or not prepared           v
 *     +-- deferred                   decided <------ a later pass lists it: its acknowledgement is under way
 *                                       |
 *                                       | its acknowledgement is answered, or refused and no later pass lists it
 *                                       v
 *                                    settled
 *
 * A released score is forgotten, or deferred if it has failed before. A listed or deferred one that a pass does not list
 * is forgotten. A score stays pending at the service when the run ends before its acknowledgement, by `stop()` or a crash.
 */

/** A score and its outcome: `score` is what the sink received, and is missing if it could not be prepared. */
export interface Pushed {
  id: string;
  score?: DeliverableScore;
  /** Missing if the forwarder has stopped before the score was pushed. */
  outcome?: Outcome;
}

/** `cut` aborts a call of the sink, `end` whatever else is under way. */
export type Effect =
  | { do: "poll"; pass: number; cursor: string | undefined; includeFailed: boolean }
  | { do: "push"; call: number; scores: PendingScore[] }
  | { do: "cut"; call: number }
  | { do: "acknowledge"; results: ScoreResult[] }
  | { do: "giveBack" }
  | { do: "end"; summary: RunSummary; failure: unknown };

/** One run. `stop()` without one begins one that polls and ends at once, to acknowledge what earlier ones could not. */
export interface Run {
  mode: "poll" | "drain";
  /**
   * `finishing` takes no more scores, waits for the calls under way and acknowledges their outcomes. `givingBack` waits until
   * the service has taken the lease back, and then the run is `over`.
   */
  phase: "working" | "finishing" | "givingBack" | "over";
  /** Why it ends; `undefined` while it works. */
  ending?: "complete" | "halted" | "failed";
  endingSince: number;
  /** After a last attempt that failed, the rest stays unacknowledged. */
  hasGivenUpAcks?: boolean;
  failure?: unknown;
  before: DeliveryCounts;
}

/** How many scores had which outcome. */
export interface DeliveryCounts {
  /** Accepted by the sink. */
  delivered: number;
  /** Refused by the sink for good, and acknowledged as failed. */
  failed: number;
  /** Attempts that ended in `retry`; one score may count several times. */
  retried: number;
}

/** What one run has done. */
export interface RunSummary extends DeliveryCounts {
  /** Scores that wait because the sink cannot take them now; they stay pending. */
  deferred: number;
  /**
   * Scores with an outcome that the service has not confirmed. This forwarder repeats the acknowledgement; when the process
   * ends before that, the next one delivers them again.
   */
  unacknowledged: number;
  /** What other forwarders held when the queue was last read; absent if nothing, or if the service does not say. */
  leased?: Leased;
  /**
   * Whether the queue was read to its end; `false` when the run was interrupted, has given up on the sink, or has left
   * scores to another forwarder, which may have ended.
   */
  isComplete: boolean;
}
