import type { Leased, PendingScore, ScoreResult } from "@afterword/protocol";
import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import type { DeliverableScore, Outcome } from "../scores/sink.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import { ScoreBook } from "./score-book.ts";
import { SinkCalls } from "./sink-calls.ts";
import { type PageEnd, QueueReader } from "./queue-reader.ts";

/*
 * The core of a forwarder is free of I/O: `step` (forwarder-core.ts) takes this state, an event and the time, changes the
 * state and returns a plan (plan.ts): effects, and when to wake the core again. delivery-loop.ts carries the effects out and
 * reports back with events. Moments are of the monotonic clock; only the `at` of a score and `beyondAt` are times of day.
 *
 * A run lasts from `start()`, `runOnce()` or `stop()` until it ends: it polls until it is stopped, or drains the queue. A pass
 * reads the queue once, page by page. The way of a score: `#poll` (delivery-loop.ts) lists it, `acceptPage` (forwarder-core.ts)
 * enters it in the book, `push` (plan.ts) takes it out, `callSink` (sink-call.ts) prepares it and calls the sink. Its outcome
 * comes back by `finishCall`, and waits among the acknowledgements until `acknowledge` (plan.ts) sends it.
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
 *     |     | retry, fatal              | delivered, permanent
 *     |     v                           v
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

export type Event =
  | { type: "begin"; mode: Run["mode"] }
  | { type: "halt" }
  | { type: "stop" }
  | { type: "tick" }
  | ({ type: "page"; pass: number; scores: readonly PendingScore[] } & PageEnd)
  | { type: "pageFailed"; pass: number; error: unknown }
  /** A call has ended; a score without an outcome is released. */
  | { type: "pushed"; call: number; outcomes: readonly Pushed[] }
  | { type: "acknowledged" }
  | { type: "ackFailed"; error: unknown }
  | { type: "gaveBack" };

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

/** Everything that a forwarder knows. */
export class State {
  readonly settings: DeliverySettings;
  readonly book = new ScoreBook();
  readonly sinkCalls: SinkCalls;
  readonly acks: Acknowledgements;
  readonly reader: QueueReader;
  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, retried: 0 };
  run: Run | undefined;
  condition: "idle" | "running" | "stopping" | "stopped" | "failed" = "idle";
  /** When `stop()` was called. */
  stoppedAt = Infinity;
  lastProblem: string | null = null;
  /** Of the sink alone; the second is of a score that it refused for good. */
  lastSinkProblem: string | null = null;
  lastRefusedForGood: string | null = null;
  lastDeliveredAt: number | undefined;
  /** When a score was last decided, or began to wait while no other did. */
  advancedAt = 0;

  constructor(settings: DeliverySettings) {
    this.settings = settings;
    this.sinkCalls = new SinkCalls(settings);
    this.acks = new Acknowledgements(settings);
    this.reader = new QueueReader(settings);
  }

  /** Whether a pass has ended and everything that it listed was pushed. */
  get isPassPushed(): boolean {
    return !this.reader.isOn && this.sinkCalls.open.size === 0 && this.book.count.listed === 0;
  }

  /** The sink is closed, and the forwarder stopped for good. */
  close(problem: string | null = this.lastProblem): void {
    this.lastProblem = problem;
    if (this.condition !== "failed") this.condition = "stopped";
  }

  /** Ends everything because of a fault in this program or in what it was given. */
  crash(): void {
    this.condition = "failed";
    this.run = undefined;
  }

  /** Takes no more scores. Calls under way keep their outcomes; all else stays pending. */
  endRun(ending: NonNullable<Run["ending"]>, now: number): void {
    const { acks, book, run, reader } = this;
    if (run?.phase !== "working") return;
    run.phase = "finishing";
    run.ending = ending;
    run.endingSince = now;
    reader.stop();
    acks.request.hurry();
    book.releaseListed();
  }
}

export const stoppedBy = (reason: string) =>
  new ForwarderStoppedError(`The forwarder has stopped: ${reason}`);
