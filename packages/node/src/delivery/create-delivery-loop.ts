import { silentLogger, type Logger } from "../options/logger.ts";
import { checkedWholeNumber } from "../options/checked-whole-number.ts";
import { type Clock, steadyClock } from "../options/clock.ts";
import { DeliveryLoop } from "./delivery-loop.ts";
import type { ScoreQueue } from "./delivery.ts";
import type { RunSummary } from "./run.ts";
import type { ForwarderHealth } from "./health.ts";
import { checkedPartition, type Partition } from "./partition.ts";
import { rowReader } from "../scores/row-reader.ts";
import type { ScoreValueOptions } from "../scores/score-value.ts";
import { defineSink, type DeliverableScore, type Outcome, type Sink } from "../scores/sink.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";

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

/** A forwarder. One run at a time; `stop()` or `await using` ends it for good. */
export interface Forwarder extends AsyncDisposable {
  /**
   * Drains the queue and resolves: for cron, serverless functions and workflow engines. Rejects with a
   * `ForwarderStoppedError` when a key is refused, and may be called again once that is fixed. Otherwise rejects with the
   * error that kept the queue from being read.
   */
  runOnce(options?: { signal?: AbortSignal }): Promise<RunSummary>;
  /** Works until `stop()`. Rejects with a `ForwarderStoppedError` when a key is refused. */
  start(): Promise<void>;
  /** Graceful shutdown: finishes and acknowledges what is under way and closes the sink. */
  stop(): Promise<void>;
  health(): ForwarderHealth;
}

/** Checks the options and fills in the defaults. Throws here, never later. */
export function createDeliveryLoop(
  options: ForwarderOptions & Required<Pick<ForwarderOptions, "clock" | "random">>,
  loadTelemetry: () => Promise<Telemetry> = async () => noTelemetry,
): Forwarder {
  const { onOutcome, sink, clock, telemetry, logger = silentLogger } = options;
  const stopped = new AbortController();
  const pollIntervalInMs = checkedWholeNumber("pollInterval", options.pollInterval ?? 2000, 1);
  const loop = new DeliveryLoop({
    queue: options.client,
    sink: defineSink(sink),
    prepare: rowReader({ ...options, clock: steadyClock(clock) }, stopped.signal),
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
    clock,
    random: options.random,
    logger,
    loadTelemetry: telemetry ? async () => telemetry : loadTelemetry,
    onOutcome: onOutcome ? safeListener(onOutcome, logger) : () => undefined,
    stopped,
  });
  return {
    runOnce: (runOptions) => loop.runOnce(runOptions),
    start: () => loop.start(),
    stop: () => loop.stop(),
    health: () => loop.health(),
    [Symbol.asyncDispose]: () => loop.stop(),
  };
}

type Listener = (score: DeliverableScore, outcome: Outcome) => unknown;

/** Logs errors of the listener, synchronous or not, since they must not stop the delivery of other rows. */
function safeListener(listener: Listener, logger: Logger): Listener {
  // Not the message, which may quote the score.
  const failed = (error: unknown) =>
    logger.warn(
      `onOutcome failed: ${error instanceof Error ? error.name : "something that is not an error"}`,
    );
  return (score, outcome) => {
    try {
      const told = listener(score, outcome);
      if (told instanceof Promise) told.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
