import type { ScoreResult, SurveyType } from "@afterword/protocol";
import type { CallOptions } from "../http/transport.ts";
import { checkedWholeNumber } from "../options/checked-whole-number.ts";
import { type Clock, steadyClock } from "../options/clock.ts";
import { silentLogger, type Logger } from "../options/logger.ts";
import { safeListener } from "../options/safe-listener.ts";
import type { AckSummary } from "../queue/acknowledge.ts";
import type { PendingScores, PendingScoresOptions } from "../queue/pending-scores.ts";
import { rowReader } from "../scores/row-reader.ts";
import type { ScoreValueOptions } from "../scores/score-value.ts";
import { defineSink, type DeliverableScore, type Outcome, type Sink } from "../scores/sink.ts";
import { checkedPartition, type Partition } from "./partition.ts";
import type { Telemetry } from "./telemetry.ts";

/** The part of the client that a forwarder needs. */
export interface ScoreQueue {
  pendingScores(options?: PendingScoresOptions): PendingScores;
  ack(results: readonly ScoreResult[], options?: CallOptions): Promise<AckSummary>;
  /** The type of each survey by its id; needed only when the forwarder is given a publishable key. */
  surveyTypes?(publishableKey: string, options?: CallOptions): Promise<Record<string, SurveyType>>;
}

export interface ForwarderOptions extends Omit<ScoreValueOptions, "surveyType"> {
  /** The client, or any object that lists and acknowledges scores. */
  client: ScoreQueue;
  sink: Sink;
  /**
   * Publishable key of the project, used to look up the type of each survey that `surveys` does not list. Default: such
   * ratings are delivered as raw values only.
   */
  publishableKey?: string;
  /** Most calls of the sink at once. Default 8. */
  concurrency?: number;
  /** Milliseconds between two polls of an empty queue. Default 2,000. */
  pollInterval?: number;
  /** The longest that an acknowledgement waits for its batch to fill, in milliseconds, at most 10,000. Default 1,000. */
  ackInterval?: number;
  /** Timeout of one call of the sink, in milliseconds. Default 30,000. */
  sinkTimeout?: number;
  /** The longest that `stop()` takes, in milliseconds. Default 9,000. */
  drainTimeout?: number;
  /**
   * How long ratings may wait without one being delivered before the health says `stalled`, in milliseconds, at least two
   * poll intervals. Default 300,000, or two poll intervals if that is longer.
   */
  stalledAfter?: number;
  /** Also push each row that was acknowledged as failed before, once. Default false. */
  includeFailed?: boolean;
  /** This forwarder's share of the rows, if several forwarders share a queue. Default: all rows. */
  partition?: Partition;
  /** Called with each outcome of each score, for example to list what was refused. Errors it throws are logged. */
  onOutcome?: (score: DeliverableScore, outcome: Outcome) => void;
  /** Logs what the forwarder waits for: a new reason at once, a known one once a minute. Default: nothing is logged. */
  logger?: Logger;
  /** Default: spans and metrics through `@opentelemetry/api`, if it is installed. */
  telemetry?: Telemetry;
  /** Default: the system clock. */
  clock?: Clock;
  random?: () => number;
}

/** The options of a forwarder, checked and with their defaults. */
export type DeliverySettings = ReturnType<typeof deliverySettings>;

/** Checks the options and fills in the defaults. `loadTelemetry` is called once per run, before it begins. */
export function deliverySettings(
  options: ForwarderOptions & Required<Pick<ForwarderOptions, "clock" | "random">>,
  loadTelemetry: () => Promise<Telemetry>,
) {
  const { onOutcome, telemetry, logger = silentLogger } = options;
  const clock = steadyClock(options.clock);
  /** Aborted by `stop()`: no more rows are taken. */
  const stopped = new AbortController();
  const pollIntervalInMs = checkedWholeNumber("pollInterval", options.pollInterval ?? 2000, 1);
  return {
    queue: options.client,
    sink: defineSink(options.sink),
    /** Turns a row into what the sink receives. */
    prepare: rowReader({ ...options, clock }, stopped.signal),
    concurrency: checkedWholeNumber("concurrency", options.concurrency ?? 8, 1, 1000),
    pollIntervalInMs,
    ackIntervalInMs: checkedWholeNumber("ackInterval", options.ackInterval ?? 1000, 0, 10_000),
    sinkTimeoutInMs: checkedWholeNumber("sinkTimeout", options.sinkTimeout ?? 30_000, 1),
    drainTimeoutInMs: checkedWholeNumber("drainTimeout", options.drainTimeout ?? 9000, 0),
    stalledAfterInMs: checkedWholeNumber(
      "stalledAfter",
      options.stalledAfter ?? Math.max(300_000, 2 * pollIntervalInMs),
      2 * pollIntervalInMs,
    ),
    includeFailed: options.includeFailed ?? false,
    partition: options.partition && checkedPartition(options.partition),
    /** The monotonic clock. */
    clock,
    /** The time of day, for times that people read. */
    wallClock: options.clock,
    random: options.random,
    logger,
    loadTelemetry: telemetry ? async () => telemetry : loadTelemetry,
    // Not the message, which may quote the score.
    onOutcome: safeListener(onOutcome, (name) => logger.warn(`onOutcome failed: ${name}`)),
    stopped,
  };
}
