import type { PendingScore, ScoreResult, SurveyType } from "@afterword/protocol";
import type { AckSummary } from "../queue/acknowledge.ts";
import type { Logger } from "../options/logger.ts";
import type { CallOptions } from "../http/transport.ts";
import type { PendingScores, PendingScoresOptions } from "../queue/pending-scores.ts";
import type { Clock } from "../options/clock.ts";
import type { DeliveryCounts } from "./counts.ts";
import type { Partition } from "./partition.ts";
import type { DeliverableScore, Outcome, Sink } from "../scores/sink.ts";
import type { Telemetry } from "./telemetry.ts";

/** The part of the client that the loop lives on. */
export interface ScoreQueue {
  pendingScores(options?: PendingScoresOptions): PendingScores;
  ack(results: readonly ScoreResult[], options?: CallOptions): Promise<AckSummary>;
  /** The type of each survey by its id; needed only where the forwarder is given a publishable key. */
  surveyTypes?(publishableKey: string, options?: CallOptions): Promise<Record<string, SurveyType>>;
}

/** Everything the loop needs, with every default settled. */
export interface DeliveryLoopOptions {
  queue: ScoreQueue;
  sink: Sink;
  /** Gives a row its meaning and applies the text policy. */
  prepare: (row: PendingScore) => DeliverableScore | Promise<DeliverableScore>;
  concurrency: number;
  pollIntervalInMs: number;
  ackIntervalInMs: number;
  sinkTimeoutInMs: number;
  drainTimeoutInMs: number;
  includeFailed: boolean;
  partition?: Partition;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** Asked once, before the first run. */
  telemetry: () => Promise<Telemetry>;
  onOutcome: (score: DeliverableScore, outcome: Outcome) => void;
}

/** What one run has done. */
export interface RunSummary extends DeliveryCounts {
  /** Rows that the run put off, or met before their time, because the sink cannot take them now; they stay pending. */
  deferred: number;
  /**
   * Rows with an outcome that the service has not confirmed. This forwarder tells it again; when the process ends before
   * that, the next one delivers them again.
   */
  unacknowledged: number;
  /** Whether the queue was read to its end; `false` when the run was interrupted, or has given up on the sink. */
  isComplete: boolean;
}
