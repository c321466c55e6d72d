import type { PendingScore, ScoreResult, SurveyType } from "@afterword/protocol";
import type { CallOptions } from "../http/transport.ts";
import { type Clock, steadyClock } from "../options/clock.ts";
import type { Logger } from "../options/logger.ts";
import type { AckSummary } from "../queue/acknowledge.ts";
import type { PendingScores, PendingScoresOptions } from "../queue/pending-scores.ts";
import type { DeliverableScore, Outcome, Sink } from "../scores/sink.ts";
import { AckBuffer } from "./ack-buffer.ts";
import { Backlog } from "./backlog.ts";
import { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import { HealthRecord } from "./health.ts";
import type { Partition } from "./partition.ts";
import { RefusalStreak } from "./refusal-streak.ts";
import { RowMemory } from "./row-memory.ts";
import { ServiceContact } from "./service-contact.ts";
import { SinkCalls } from "./sink-calls.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";

/** The part of the client that a forwarder needs. */
export interface ScoreQueue {
  pendingScores(options?: PendingScoresOptions): PendingScores;
  ack(results: readonly ScoreResult[], options?: CallOptions): Promise<AckSummary>;
  /** The type of each survey by its id; needed only when the forwarder is given a publishable key. */
  surveyTypes?(publishableKey: string, options?: CallOptions): Promise<Record<string, SurveyType>>;
}

/** The options of a forwarder, checked and with their defaults. */
export interface DeliverySettings {
  queue: ScoreQueue;
  sink: Sink;
  /** Turns a row into what the sink receives, see `rowReader`. */
  prepare: (row: PendingScore) => DeliverableScore | Promise<DeliverableScore>;
  concurrency: number;
  pollIntervalInMs: number;
  ackIntervalInMs: number;
  sinkTimeoutInMs: number;
  drainTimeoutInMs: number;
  stalledAfterInMs: number;
  includeFailed: boolean;
  partition?: Partition;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** Called once per run, before it begins. */
  loadTelemetry: () => Promise<Telemetry>;
  onOutcome: (score: DeliverableScore, outcome: Outcome) => void;
  /** Aborted by `stop()`: no more rows are taken. */
  stopped: AbortController;
}

/** What all parts of a forwarder work with: its settings, and the state that outlives a walk over the queue. */
export interface Delivery extends DeliverySettings {
  /** The monotonic clock. */
  clock: Clock;
  telemetry: Telemetry;
  /** Aborted by `stop()` when acknowledgements must end. */
  cutAcks: AbortController;
  memory: RowMemory;
  backlog: Backlog;
  limiter: ConcurrencyLimiter;
  calls: SinkCalls;
  acks: AckBuffer;
  service: ServiceContact;
  refusals: RefusalStreak;
  health: HealthRecord;
}

/** The state of a forwarder that has not run yet. */
export function createDelivery(settings: DeliverySettings, onAckFailure: (error: unknown) => void): Delivery {
  const { queue, random } = settings;
  const clock = steadyClock(settings.clock);
  const cutAcks = new AbortController();
  const memory = new RowMemory();
  memory.keepsSettled = settings.includeFailed;
  const backlog = new Backlog(memory);
  const limiter = new ConcurrencyLimiter({ ...settings, clock });
  const service = new ServiceContact();
  const acks = new AckBuffer({
    clock,
    random,
    intervalInMs: settings.ackIntervalInMs,
    send: async (results) => {
      await queue.ack(results, { signal: cutAcks.signal });
      service.succeeded("acknowledging");
    },
    onSettled: (results) => {
      for (const { id } of results) {
        memory.settle(id);
        backlog.settle(id);
      }
    },
    onFailure: onAckFailure,
  });
  const parts = { backlog, memory, limiter, service, acks, clock };
  return {
    ...settings,
    ...parts,
    telemetry: noTelemetry,
    cutAcks,
    calls: new SinkCalls({ ...settings, clock }),
    refusals: new RefusalStreak(),
    health: new HealthRecord({ ...settings, ...parts }, settings.clock),
  };
}
