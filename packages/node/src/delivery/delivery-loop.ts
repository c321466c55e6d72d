import { ConfigurationError } from "../errors/configuration-error.ts";
import { silentLogger } from "../options/logger.ts";
import { createDelivery, type Delivery } from "./delivery.ts";
import type { DeliverySettings } from "./forwarder-options.ts";
import type { ForwarderHealth } from "./health.ts";
import { Run, type RunSummary } from "./run.ts";
import { WaitingReport } from "./waiting.ts";

/*
 * `start()` and `runOnce()` begin a run (run.ts), which makes passes (pass.ts). A pass walks the queue once from its head
 * (page-source.ts); its workers push what the walk lists.
 *
 * The life of a row. The service lists it until its acknowledgement is confirmed.
 *
 *                       pending at the service <------------------------+
 *                                 |                                     |
 *                                 | listed by a poll (page-source.ts)   |
 *                                 v                                     |
 *       +----------> taken with a permit (concurrency-limiter.ts)       |
 *       |            busy: not taken twice (row-memory.ts, pass.ts)     |
 *       |                         |                                     |
 *       |                         | prepared (scores/row-reader.ts)     |
 *       |                         v                                     |
 *       |               pushed (sink-calls.ts)                          |
 *       |                         |                                     |
 *       |                         | outcome (row-outcomes.ts)           |
 *       |              +----------+------------+                        |
 *       |       retry or fatal      delivered or permanent              |
 *       |              v                       v                        |
 *       |          deferred         unacknowledged (ack-buffer.ts)      |
 *       |              |                       |                        |
 *       |              |                       | confirmed              |
 *       |  due soon    |    due later          v                        |
 *       +--------------+-------------+      settled                     |
 *     (retry-queue.ts)               |                                  |
 *                                    +----------------------------------+
 *
 * A row stays pending when the forwarder's run ends before its acknowledgement, by `stop()` or a crash.
 */

/** Shares of the drain time after which calls and then acknowledgements are cut, to leave time for the rest. */
const callsShareOfDrain = 0.75;
const acksShareOfDrain = 0.9;

/** Runs, stops and reports on one forwarder; see `createForwarder` for its guarantees. */
export class DeliveryLoop {
  readonly #delivery: Delivery;
  #run: Run | undefined;
  #running: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(settings: DeliverySettings) {
    this.#delivery = createDelivery(settings, (error) =>
      this.#run?.noteServiceFailure("acknowledging", error),
    );
  }

  runOnce({ signal }: { signal?: AbortSignal } = {}): Promise<RunSummary> {
    return this.#occupy(signal, (run) => run.drain());
  }

  start(): Promise<void> {
    return this.#occupy(undefined, (run) => run.poll());
  }

  /**
   * Takes no more rows, finishes and acknowledges what is under way, and closes the sink, all within
   * `drainTimeoutInMs`. Rows that are still under way then stay pending.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  health(): ForwarderHealth {
    return this.#delivery.health.read();
  }

  /** One run at a time. Only `stop()` is final: whatever was fatal may be mended before the next run. */
  async #occupy<T>(signal: AbortSignal | undefined, work: (run: Run) => Promise<T>): Promise<T> {
    const { acks, clock, health, loadTelemetry, logger, memory, refusals, stopped } = this.#delivery;
    if (stopped.signal.aborted) {
      throw new ConfigurationError("This forwarder was stopped; create a new one.");
    }
    if (this.#running) throw new ConfigurationError("This forwarder is already running.");
    health.began();
    refusals.accepted();
    memory.forgetRefusals();
    const run = new Run(this.#delivery, signal);
    this.#run = run;
    acks.wake();
    if (logger !== silentLogger) void new WaitingReport(clock, logger, () => health.read()).watch(run.halted);
    const running = loadTelemetry().then((telemetry) => {
      this.#delivery.telemetry = telemetry;
      return work(run);
    });
    this.#running = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#running = undefined;
      acks.rest();
      // Also removes its listeners from the caller's signal, which may outlive many runs.
      run.halt();
      if (health.state === "running") health.state = "idle";
    }
  }

  async #stop(): Promise<void> {
    const { acks, health, stopped } = this.#delivery;
    if (health.state !== "failed") health.state = "stopping";
    stopped.abort();
    await this.#drain();
    acks.rest();
    if (health.state !== "failed") health.state = "stopped";
  }

  /** Finishes what is under way and closes the sink, within the drain time even if something hangs. */
  async #drain(): Promise<void> {
    const { acks, calls, clock, cutAcks, drainTimeoutInMs, sink } = this.#delivery;
    const drained = new AbortController();
    const after = (share: number) => clock.sleep(drainTimeoutInMs * share, drained.signal);
    try {
      const end = after(1);
      void after(callsShareOfDrain).then(() => calls.cut());
      const cut = after(acksShareOfDrain).then(() => cutAcks.abort());
      const finished = Promise.resolve(this.#running).then(() => acks.flush().catch(() => undefined));
      await Promise.race([finished, cut.then(() => clock.sleep(0))]);
      await Promise.race([sink.close?.(), end]);
    } finally {
      drained.abort();
    }
  }
}
