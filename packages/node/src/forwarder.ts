import { randomUUID } from "node:crypto";
import { DeliveryLoop, type Forwarder } from "./delivery/delivery-loop.ts";
import type { ForwarderOptions } from "./delivery/forwarder-options.ts";
import { openTelemetry } from "./delivery/telemetry.ts";
import { steadyClock, systemClock } from "./options/clock.ts";

/**
 * Creates a forwarder, which polls the linked scores, pushes them to a sink and acknowledges them. Every score is delivered
 * at least once, and its id makes repeated deliveries idempotent. A score is acknowledged as failed only if the sink has
 * refused it permanently; after any other failure it stays pending. Several forwarders share a queue where the service
 * offers leases.
 * @example
 * await createForwarder({ client: new Afterword(), sink: phoenix() }).start(); // until `stop()`
 */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { clock = systemClock, random = Math.random } = options;
  const telemetry = openTelemetry(steadyClock(clock).now);
  return new DeliveryLoop({ ...options, clock, random, consumer: randomUUID(), telemetry });
}

export type { Clock } from "./options/clock.ts";
export type { Forwarder } from "./delivery/delivery-loop.ts";
export type { ForwarderOptions, ScoreQueue } from "./delivery/forwarder-options.ts";
export type { RunSummary } from "./delivery/forwarder-state.ts";
export type {
  ForwarderState,
  ForwarderStatus as ForwarderHealth,
  SinkHealth,
  Waiting,
} from "./delivery/forwarder-status.ts";
export {
  defaultScoreName,
  scoreValue,
  type ScoreNameOptions,
  type ScoreValueOptions,
  type SurveyMeaning,
  type TextPolicy,
} from "./scores/score-value.ts";
export {
  defineSink,
  type DeliverableScore,
  type DeliveryCounts,
  type ErasableScore,
  type ErasureOutcome,
  type Outcome,
  type Sink,
  type SinkExamination,
  type SinkOptions,
  type SinkPart,
} from "./scores/sink.ts";
export { ForwarderStoppedError } from "./errors/afterword-error.ts";
export type { Logger } from "./options/logger.ts";
export { missingTarget, type ResolveTarget, targetMemory } from "./scores/target.ts";
export { readRunReference, type TracedRun } from "./scores/run-reference.ts";
export { braintrust, type BraintrustOptions, type BraintrustTarget } from "./sinks/braintrust.ts";
export { datadog, type DatadogOptions } from "./sinks/datadog.ts";
export { fanOut, type FanOutOptions } from "./sinks/fan-out.ts";
export { jsonl, type JsonlOptions } from "./sinks/jsonl.ts";
export { langfuse, type LangfuseOptions } from "./sinks/langfuse.ts";
export { langsmith, type LangsmithOptions, type LangsmithTarget } from "./sinks/langsmith.ts";
export { mlflow, type MlflowOptions, type MlflowTarget } from "./sinks/mlflow.ts";
export { opik, type OpikOptions, type OpikTarget } from "./sinks/opik.ts";
export { otlp, type OtlpOptions, type OtlpTarget } from "./sinks/otlp.ts";
export { phoenix, type PhoenixOptions } from "./sinks/phoenix.ts";
export type { Secret } from "./options/secret.ts";
export type { HttpSinkOptions } from "./sinks/sink-request.ts";
export { webhook, type WebhookOptions } from "./sinks/webhook.ts";
export type { PendingScore, ScoreResult, SurveyType } from "@afterword/protocol";
