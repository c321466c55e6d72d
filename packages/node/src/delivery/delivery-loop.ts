import { ConfigurationError } from "../errors/configuration-error.ts";
import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import { step } from "./forwarder-core.ts";
import { type DeliverySettings, deliverySettings } from "./forwarder-options.ts";
import { type Effect, type Event, type RunSummary, State } from "./forwarder-state.ts";
import { type ForwarderStatus, readStatus } from "./forwarder-status.ts";
import { nextWakeAt } from "./plan.ts";
import { ServiceCalls } from "./service-calls.ts";
import { callSink, nameOf } from "./sink-call.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";
import { watch } from "./watch.ts";

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
  health(): ForwarderStatus;
}

/** Creates a forwarder. Throws here, never later. */
export function createDeliveryLoop(options: Parameters<typeof deliverySettings>[0]): Forwarder {
  const loop = new DeliveryLoop(deliverySettings(options));
  return {
    runOnce: ({ signal } = {}) => loop.run("drain", signal),
    start: async () => void (await loop.run("poll")),
    stop: () => loop.stop(),
    health: () => loop.status(),
    [Symbol.asyncDispose]: () => loop.stop(),
  };
}

/**
 * The shell of the core: carries out its effects, reports what came of them and wakes it in time. The core is drawn in
 * forwarder-state.ts.
 */
class DeliveryLoop {
  readonly #settings: DeliverySettings;
  readonly #state: State;
  readonly #service: ServiceCalls;
  readonly #cutCalls = new AbortController();
  readonly #cutRequests = new AbortController();
  #halt = new AbortController();
  #polls = new AbortController();
  #timer: AbortController | undefined;
  #ended = Promise.withResolvers<RunSummary>();
  #running: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;
  #telemetry: Promise<Telemetry> = Promise.resolve(noTelemetry);
  #wakesAt = Infinity;

  constructor(settings: DeliverySettings) {
    this.#settings = settings;
    this.#state = new State(settings);
    this.#service = new ServiceCalls(settings);
  }

  status(): ForwarderStatus {
    return readStatus(this.#state);
  }

  /** One run at a time. Only `stop()` is final: whatever was fatal may be mended before the next run. */
  async run(mode: "poll" | "drain", signal?: AbortSignal): Promise<RunSummary> {
    if (this.#stopping) throw new ConfigurationError("This forwarder was stopped; create a new one.");
    if (this.#running) throw new ConfigurationError("This forwarder is already running.");
    const running = this.#run(mode, signal);
    this.#running = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  /**
   * Takes no more scores, finishes and acknowledges what is under way, and closes the sink, all within
   * `drainTimeoutInMs`. Scores that are still under way then stay pending.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #run(mode: "poll" | "drain", signal?: AbortSignal): Promise<RunSummary> {
    this.#ended = Promise.withResolvers();
    this.#halt = new AbortController();
    this.#polls = new AbortController();
    const { promise } = this.#ended;
    const over = new AbortController();
    const halt = () => this.#tell({ type: "halt" });
    this.#telemetry = this.#settings.loadTelemetry();
    this.#tell({ type: "begin", mode });
    signal?.addEventListener("abort", halt);
    if (signal?.aborted) halt();
    const watching = watch(this.#settings, this.#telemetry, () => this.status(), over.signal);
    try {
      return await promise;
    } finally {
      over.abort();
      await watching;
      // The caller's signal may outlive many runs.
      signal?.removeEventListener("abort", halt);
    }
  }

  async #stop(): Promise<void> {
    const { clock, drainTimeoutInMs, logger, sink, stopped } = this.#settings;
    const drained = new AbortController();
    const end = clock.sleep(drainTimeoutInMs, drained.signal);
    stopped.abort();
    if (!this.#running) this.#ended = Promise.withResolvers();
    this.#tell({ type: "stop" });
    await this.#ended.promise.catch(() => undefined);
    try {
      await Promise.race([sink.close?.(), end]);
    } catch (error) {
      // Not its message, which may be the sink's own words.
      this.#state.lastProblem = `closing sink ${sink.name} failed: ${nameOf(error)}`;
      logger.warn(this.#state.lastProblem);
    } finally {
      drained.abort();
      if (this.#state.condition !== "failed") this.#state.condition = "stopped";
    }
  }

  readonly #tell = (event: Event): void => {
    const now = this.#settings.clock.now();
    for (const effect of step(this.#state, event, now)) this.#perform(effect);
    this.#wakeInTime(now);
  };

  #perform(effect: Effect): void {
    switch (effect.do) {
      case "poll":
        return void this.#service.poll(effect, this.#polls.signal).then(this.#tell);
      case "push":
        return void this.#push(effect);
      case "acknowledge":
        return void this.#service.acknowledge(effect.results, this.#cutRequests.signal).then(this.#tell);
      case "halt":
        return this.#halt.abort();
      case "giveBack":
        return void this.#service.giveBack(this.#cutRequests.signal).then(this.#tell);
      case "cutPoll":
        return this.#polls.abort();
      case "cutCalls":
        return this.#cutCalls.abort();
      case "cutRequests":
        return this.#cutRequests.abort();
      case "end":
        return this.#end(effect);
    }
  }

  async #push({ call, ...batch }: Extract<Effect, { do: "push" }>): Promise<void> {
    const { onOutcome, sink } = this.#settings;
    const telemetry = await this.#telemetry;
    const unprepared = (id: string, reason: string) => this.#tell({ type: "unprepared", id, reason });
    const control = { halted: this.#halt.signal, cut: this.#cutCalls.signal, telemetry, unprepared };
    const outcomes = await callSink(batch, this.#settings, control);
    for (const { outcome, score } of outcomes) {
      if (outcome === undefined) continue;
      telemetry.outcome(sink.name, outcome.outcome);
      onOutcome(score!, outcome);
    }
    this.#tell({ type: "pushed", call, outcomes });
  }

  #end({ summary, failure }: Extract<Effect, { do: "end" }>): void {
    this.#polls.abort();
    this.#service.rest();
    if (ForwarderStoppedError.isInstance(failure)) this.#settings.logger.error(failure.message);
    if (failure === undefined) this.#ended.resolve(summary);
    else this.#ended.reject(failure);
  }

  /** One timer for all that the core waits for; `now` is the core's, so that no moment is missed that passes meanwhile. */
  #wakeInTime(now: number): void {
    const { clock } = this.#settings;
    const wakeAt = nextWakeAt(this.#state, now);
    if (wakeAt === this.#wakesAt) return;
    this.#wakesAt = wakeAt;
    this.#timer?.abort();
    if (wakeAt === Infinity) return;
    const timer = new AbortController();
    this.#timer = timer;
    void clock.sleep(wakeAt - clock.now(), timer.signal).then(() => this.#tick(timer.signal));
  }

  #tick({ aborted }: AbortSignal): void {
    if (aborted) return;
    this.#wakesAt = Infinity;
    this.#tell({ type: "tick" });
  }
}
