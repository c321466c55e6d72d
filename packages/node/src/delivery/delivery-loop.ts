import { ConfigurationError } from "../errors/configuration-error.ts";
import { errorName } from "../errors/error-name.ts";
import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import { step } from "./forwarder-core.ts";
import { type DeliverySettings, deliverySettings } from "./forwarder-options.ts";
import { type Effect, type Event, type RunSummary, State } from "./forwarder-state.ts";
import { type ForwarderStatus, readStatus } from "./forwarder-status.ts";
import { acknowledge, giveBack, poll } from "./service-calls.ts";
import { callSink } from "./sink-call.ts";
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
 * The shell of the core: carries out its effects, reports back with events and wakes it in time. The core is drawn in
 * forwarder-state.ts.
 */
class DeliveryLoop {
  readonly #settings: DeliverySettings;
  readonly #state: State;
  #telemetry: Promise<Telemetry> = Promise.resolve(noTelemetry);
  #running: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;
  #ended = Promise.withResolvers<RunSummary>();
  /** Aborted when the run has ended. */
  #over = new AbortController();
  /** Of the open calls of the sink, by their numbers. */
  readonly #calls = new Map<number, AbortController>();
  #timer = new AbortController();
  #wakesAt = Infinity;

  constructor(settings: DeliverySettings) {
    this.#settings = settings;
    this.#state = new State(settings);
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
    const { promise } = (this.#ended = Promise.withResolvers());
    this.#over = new AbortController();
    const halt = () => this.#step({ type: "halt" });
    this.#telemetry = this.#settings.loadTelemetry();
    this.#step({ type: "begin", mode });
    signal?.addEventListener("abort", halt);
    if (signal?.aborted) halt();
    const watching = watch(this.#settings, this.#telemetry, () => this.status(), this.#over.signal);
    try {
      return await promise;
    } finally {
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
    this.#step({ type: "stop" });
    await this.#ended.promise.catch(() => undefined);
    try {
      await Promise.race([sink.close?.(), end]);
    } catch (error) {
      this.#state.lastProblem = `closing sink ${sink.name} failed: ${errorName(error)}`;
      logger.warn(this.#state.lastProblem);
    } finally {
      drained.abort();
      if (this.#state.condition !== "failed") this.#state.condition = "stopped";
    }
  }

  readonly #step = (event: Event): void => {
    const { effects, wakeAt } = step(this.#state, event, this.#settings.clock.now());
    for (const effect of effects) this.#perform(effect);
    this.#wake(wakeAt);
  };

  #perform(effect: Effect): void {
    const { signal } = this.#over;
    switch (effect.do) {
      case "poll":
        return void poll(effect, this.#settings, signal).then(this.#step);
      case "push":
        return void this.#push(effect);
      case "cut":
        return this.#calls.get(effect.call)?.abort();
      case "acknowledge":
        return void acknowledge(effect.results, this.#settings, signal).then(this.#step);
      case "giveBack":
        return void giveBack(this.#settings, signal).then(this.#step);
      case "end":
        return this.#end(effect);
    }
  }

  async #push({ call, scores }: Extract<Effect, { do: "push" }>): Promise<void> {
    const { onOutcome, sink } = this.#settings;
    const cut = new AbortController();
    this.#calls.set(call, cut);
    const telemetry = await this.#telemetry;
    const outcomes = await callSink(scores, this.#settings, telemetry, cut.signal);
    this.#calls.delete(call);
    for (const { outcome, score } of outcomes) {
      if (outcome === undefined || score === undefined) continue;
      telemetry.outcome(sink.name, outcome.outcome);
      onOutcome(score, outcome);
    }
    this.#step({ type: "pushed", call, outcomes });
  }

  #end({ summary, failure }: Extract<Effect, { do: "end" }>): void {
    this.#over.abort();
    if (ForwarderStoppedError.isInstance(failure)) this.#settings.logger.error(failure.message);
    if (failure === undefined) this.#ended.resolve(summary);
    else this.#ended.reject(failure);
  }

  /** One timer for all that the core waits for. It may ring early, which costs less than setting it again. */
  #wake(wakeAt: number): void {
    const { clock } = this.#settings;
    if (wakeAt === this.#wakesAt || (wakeAt > this.#wakesAt && wakeAt < Infinity)) return;
    this.#wakesAt = wakeAt;
    this.#timer.abort();
    if (wakeAt === Infinity) return;
    const { signal } = (this.#timer = new AbortController());
    void clock.sleep(wakeAt - clock.now(), signal).then(() => this.#tick(signal));
  }

  #tick({ aborted }: AbortSignal): void {
    if (aborted) return;
    this.#wakesAt = Infinity;
    this.#step({ type: "tick" });
  }
}
