import type { Leased } from "@afterword/protocol";
import type { DeliveryCounts } from "../scores/sink.ts";
import type { DeliverableScore, Outcome } from "../scores/sink.ts";
import type { ScoreEntry } from "./score-book.ts";

/*
 * The core of a forwarder is free of I/O: what happens changes its state, and `plan` says what is due then: effects, and when to
 * plan again (forwarder-core.ts). delivery-loop.ts carries the effects out and tells the core what came of them. Moments are of the
 * monotonic clock; only the `at` of a score and `beyondAt` are times of day. The reader, the book, the calls of the sink and the
 * acknowledgements each change their own state alone.
 *
 * A run lasts from `start()`, `runOnce()` or `stop()` until it ends: it polls until it is stopped, or drains the queue. A pass
 * reads the queue once, page by page. The way of a score: `#poll` of the loop lists it, `acceptPage` of the core enters it in the
 * book, `#push` of the core marks it as pushing, and `#push` of the loop prepares it and calls the sink. Its outcome comes back
 * by `finishCall` of the core, and waits among the acknowledgements until they are sent.
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

/** A call of the sink, when it began, the scores that it pushes, and what aborts it. */
export interface SinkCall {
  readonly since: number;
  readonly entries: readonly ScoreEntry[];
  readonly cut: AbortController;
}

/** The outcome of a score: `score` is what the sink received, and is missing if it could not be prepared. */
export interface Pushed {
  score?: DeliverableScore;
  /** Missing if the forwarder has stopped before the score was pushed. */
  outcome?: Outcome;
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
