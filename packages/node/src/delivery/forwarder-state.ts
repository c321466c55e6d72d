import type { PendingScore, ScoreResult } from "@afterword/protocol";
import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import { ScoreBook, type ScoreEntry } from "./score-book.ts";
import type { Pushed } from "./sink-call.ts";
import { SinkCondition } from "./sink-condition.ts";
import { type ListedPage, Walk } from "./walk.ts";

/*
 * The core of a forwarder is free of I/O: `step` (forwarder-core.ts) takes this state, an event and the time, changes the
 * state and returns a plan (plan.ts): effects, and when to wake the core again. delivery-loop.ts carries the effects out and
 * reports back with events. All moments are of the monotonic clock.
 *
 * The states of a score. The service lists it until its acknowledgement is confirmed.
 *
 *              a page lists it
 *                     |
 *                     v
 *     +----------> listed ------> forgotten: listed for a minute, in no whole walk any more, or the run ends
 *     |               |
 *     | a later       | the sink has room
 *     | walk lists    v
 *     | it when    pushing -----> forgotten: the call was cut, or it took a minute to prepare
 *     | due           |
 *     |     +---------+-----------------+
 *     |     | retry, fatal              | delivered, permanent
 *     |     v                           v
 *     +-- deferred                   decided <-------------------------+
 *                                       | acknowledged                 |
 *                                       |                              |
 *                      all changed      |      fewer were changed      |
 *                           +-----------+-----------+                  |
 *                           v                       v                  | a later walk lists it
 *                        settled <-------------- doubtful -------------+
 *                             a later walk does not
 *
 * A score stays pending at the service when the run ends before its acknowledgement, by `stop()` or a crash.
 */

export type Event =
  | { type: "begin"; mode: Run["mode"] }
  | { type: "halt" }
  | { type: "stop" }
  | { type: "tick" }
  | ({ type: "page"; isLeased: boolean } & ListedPage)
  | { type: "pageFailed"; walk: number; error: unknown }
  /** A call has ended; a score without an outcome is released. */
  | { type: "pushed"; call: number; outcomes: readonly Pushed[] }
  | { type: "acknowledged"; updated: unknown }
  | { type: "ackFailed"; error: unknown }
  | { type: "gaveBack" };

export type Effect =
  | { do: "poll"; walk: number; isFirst: boolean; includeFailed: boolean }
  | { do: "push"; call: number; scores: PendingScore[]; freshUntil: number }
  | { do: "acknowledge"; results: ScoreResult[] }
  | { do: "giveBack" }
  | { do: "abort"; what: Abortable }
  | { do: "end"; summary: RunSummary; failure?: unknown };

/** What an ending run aborts: the preparation of scores at once, the others if they take too long. */
export type Abortable = "preparing" | "polling" | "calls" | "requests";

/** One run, from `start()`, `runOnce()` or `stop()` until it ends. */
export interface Run {
  mode: "poll" | "drain";
  /**
   * `finishing` takes no more scores, waits for the calls under way and acknowledges their outcomes. `givingBack` waits until
   * the service has taken the lease back, and then the run is `over`.
   */
  phase: "working" | "finishing" | "givingBack" | "over";
  /** Why it ends; `undefined` while it works. */
  ending?: "complete" | "halted" | "failed";
  endingSince?: number;
  /** After a last attempt that failed, the rest stays unacknowledged. */
  hasGivenUpAcks?: boolean;
  failure?: unknown;
  firstWalk: number;
  before: DeliveryCounts;
  /** When the sink last decided about a score, or the run began. */
  decidedAt: number;
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
  /** Scores that the run put off, or met before their time, because the sink cannot take them now; they stay pending. */
  deferred: number;
  /**
   * Scores with an outcome that the service has not confirmed. This forwarder repeats the acknowledgement; when the process
   * ends before that, the next one delivers them again.
   */
  unacknowledged: number;
  /** Whether the queue was read to its end; `false` when the run was interrupted, or has given up on the sink. */
  isComplete: boolean;
}

/** Everything that a forwarder knows. */
export class State {
  readonly settings: DeliverySettings;
  readonly book = new ScoreBook();
  readonly sink: SinkCondition;
  readonly acks: Acknowledgements;
  readonly walk: Walk;
  /** Open calls of the sink. */
  readonly calls = new Map<number, { since: number; entries: ScoreEntry[] }>();
  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, retried: 0 };
  run: Run | undefined;
  condition: "idle" | "running" | "stopping" | "stopped" | "failed" = "idle";
  /** When `stop()` was called. */
  stoppedAt: number | undefined;
  /** Whether the service keeps listed scores from other forwarders; `undefined` before the first page. */
  isLeased: boolean | undefined;
  lastProblem: string | null = null;
  lastRefusal: string | null = null;
  lastSinkProblem: string | null = null;
  lastPolledAt: number | undefined;
  lastDeliveredAt: number | undefined;
  /** When a score was last decided, or began to wait while no other did. */
  advancedAt = 0;

  constructor(settings: DeliverySettings) {
    this.settings = settings;
    this.sink = new SinkCondition(settings);
    this.acks = new Acknowledgements(settings.ackIntervalInMs, settings.random);
    this.walk = new Walk(this.book, settings);
  }
}

/** Whether a walk has ended and everything that it listed was pushed. */
export const isPassOver = ({ book, calls, walk }: State): boolean =>
  !walk.isOn && calls.size === 0 && book.listed === 0;

/** Takes no more scores. Calls under way keep their outcomes; all else stays pending. */
export function endRun({ book, run, walk }: State, ending: NonNullable<Run["ending"]>, now: number): void {
  if (run?.phase !== "working") return;
  run.phase = "finishing";
  run.ending = ending;
  run.endingSince = now;
  walk.isOn = false;
  for (const entry of book.all)
    if (entry.state === "listed" || entry.state === "deferred") book.release(entry);
}

export const stoppedBy = (reason: string) =>
  new ForwarderStoppedError(`The forwarder has stopped: ${reason}`);
