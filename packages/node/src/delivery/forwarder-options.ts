import type { ScoreResult, SurveyType } from "@afterword/protocol";
import { limits } from "@afterword/protocol/limits";
import type { CallOptions } from "../http/transport.ts";
import { checkedWholeNumber } from "../options/checked-option.ts";
import { type Clock, steadyClock } from "../options/clock.ts";
import { type Logger, safeListener, safeLogger, silentLogger } from "../options/logger.ts";
import type { AckSummary, PendingScores, PendingScoresOptions } from "../queue/pending-scores.ts";
import { scorePreparer, type ScoreValueOptions } from "../scores/score-value.ts";
import { defineSink, type DeliverableScore, type Outcome, type Sink } from "../scores/sink.ts";
import type { Telemetry } from "./telemetry.ts";

/** The part of the client that a forwarder needs. */
export interface ScoreQueue {
  pendingScores(options?: PendingScoresOptions): PendingScores;
  ack(results: readonly ScoreResult[], options?: CallOptions): Promise<AckSummary>;
  /** The type of each survey by its id; needed only when the forwarder is given a publishable key. */
  surveyTypes?(publishableKey: string, options?: CallOptions): Promise<Record<string, SurveyType>>;
}

/** What `createForwarder` takes: a client and a sink; all else has a default. Durations are in milliseconds. */
export interface ForwarderOptions extends ScoreValueOptions {
  /** The client, or any object that lists and acknowledges scores. */
  client: ScoreQueue;
  sink: Sink;
  /**
   * Publishable key of the project, used to look up the type of each survey that `surveys` does not list. Default: such
   * scores are delivered as raw values only.
   */
  publishableKey?: string | undefined;
  /** Most calls of the sink at once. Default 8. */
  concurrency?: number | undefined;
  /** Milliseconds between two polls of an empty queue. Default 2,000. */
  pollIntervalInMs?: number | undefined;
  /** The longest that an acknowledgement waits for its batch to fill, at most 10,000. Default 1,000. */
  ackIntervalInMs?: number | undefined;
  /** Timeout of one call of the sink, and of redacting its scores before. Default 30,000. */
  sinkTimeoutInMs?: number | undefined;
  /** The longest that `stop()` takes. Default 9,000. */
  drainTimeoutInMs?: number | undefined;
  /**
   * How long nothing may be delivered, because of the sink or the service, before the health says `stalled`; at least two
   * poll intervals. Default 300,000, or two poll intervals if that is longer.
   */
  stalledAfterInMs?: number | undefined;
  /** Also push each score that was acknowledged as failed before, once. Default false. */
  includeFailed?: boolean | undefined;
  /** Called with each outcome of each score, for example to list what was refused. Errors it throws are logged. */
  onOutcome?: ((score: DeliverableScore, outcome: Outcome) => void) | undefined;
  /** Logs what the forwarder waits for: a new reason at once, a known one once a minute. Default: nothing is logged. */
  logger?: Logger | undefined;
  /** Default: the system clock. */
  clock?: Clock | undefined;
  random?: (() => number) | undefined;
}

/** What an entry point adds to the options. */
export interface ForwarderEnvironment {
  clock: Clock;
  random: () => number;
  /** Random id of this forwarder, under which the service keeps listed scores from other forwarders. */
  consumer: string;
  telemetry?: Telemetry;
}

/** A listed score is pushed within a minute; the rest is for the client's timeout and for the acknowledgement. */
const heldForInMs = 90_000;

/** The options of a forwarder, checked and with their defaults. Each part of the forwarder is given those that it reads. */
export type DeliverySettings = ReturnType<typeof deliverySettings>;

/** Checks the options and fills in the defaults. */
export function deliverySettings(options: ForwarderOptions & ForwarderEnvironment) {
  const { concurrency = 8, pollIntervalInMs = 2000, ackIntervalInMs = 1000 } = options;
  const { sinkTimeoutInMs = 30_000, drainTimeoutInMs = 9000, includeFailed = false } = options;
  const { stalledAfterInMs = Math.max(300_000, 2 * pollIntervalInMs), random, telemetry } = options;
  const logger = options.logger ? safeLogger(options.logger) : silentLogger;
  /** The monotonic clock. */
  const clock = steadyClock(options.clock);
  const warned = new Set<string>();
  /** Aborted by `stop()`: no more scores are taken. */
  const stopped = new AbortController();
  const leaseInSeconds = Math.min(Math.ceil((heldForInMs + sinkTimeoutInMs) / 1000), limits.leaseInSeconds);
  return {
    queue: options.client,
    sink: defineSink(options.sink),
    /** Turns a score of the queue into what the sink receives. */
    prepare: scorePreparer({ ...options, clock, logger }, stopped.signal),
    concurrency: checkedWholeNumber("concurrency", concurrency, 1, 1000),
    pollIntervalInMs: checkedWholeNumber("pollIntervalInMs", pollIntervalInMs, 1),
    ackIntervalInMs: checkedWholeNumber("ackIntervalInMs", ackIntervalInMs, 0, 10_000),
    sinkTimeoutInMs: checkedWholeNumber("sinkTimeoutInMs", sinkTimeoutInMs, 1),
    drainTimeoutInMs: checkedWholeNumber("drainTimeoutInMs", drainTimeoutInMs, 0),
    stalledAfterInMs: checkedWholeNumber("stalledAfterInMs", stalledAfterInMs, 2 * pollIntervalInMs),
    includeFailed,
    lease: { leaseInSeconds, consumer: options.consumer },
    clock,
    /** The time of day, for times that people read. */
    wallClock: options.clock,
    random,
    logger,
    warnOnce(message: string) {
      if (!warned.has(message)) logger.warn(message);
      warned.add(message);
    },
    telemetry,
    // Not the message, which may quote the score.
    onOutcome: safeListener(options.onOutcome, (name) => logger.warn(`onOutcome failed: ${name}`)),
    stopped,
  };
}
