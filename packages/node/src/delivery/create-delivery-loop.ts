import { DeliveryLoop } from "./delivery-loop.ts";
import { deliverySettings } from "./forwarder-options.ts";
import type { ForwarderHealth } from "./health.ts";
import type { RunSummary } from "./run.ts";
import { noTelemetry } from "./telemetry.ts";

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

/** Creates a forwarder. Throws here, never later. */
export function createDeliveryLoop(
  options: Parameters<typeof deliverySettings>[0],
  loadTelemetry = async () => noTelemetry,
): Forwarder {
  const loop = new DeliveryLoop(deliverySettings(options, loadTelemetry));
  return {
    runOnce: (runOptions) => loop.runOnce(runOptions),
    start: () => loop.start(),
    stop: () => loop.stop(),
    health: () => loop.health(),
    [Symbol.asyncDispose]: () => loop.stop(),
  };
}
