import { ApiError, isRefusedKey } from "../errors/api-error.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import { AckBuffer } from "./ack-buffer.ts";
import { Backlog } from "./backlog.ts";
import { backoffInMs, type Backoff } from "./backoff.ts";
import { countsSince } from "./counts.ts";
import type { DeliveryLoopOptions, RunSummary } from "./delivery-loop-options.ts";
import { HealthRecord, type ForwarderHealth } from "./health.ts";
import { Pacer } from "./pacer.ts";
import { Pass } from "./pass.ts";
import type { PassResult } from "./pass-options.ts";
import { RowMemory } from "./row-memory.ts";
import { runPatience } from "./run-patience.ts";
import { SinkCalls } from "./sink-calls.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";

/** Parts of the drain time after which pushes and then acknowledgements are cut, to leave time for what comes last. */
const deliveryShareOfDrain = 0.75;
const acknowledgingShareOfDrain = 0.9;
const longestIdleInMs = 60_000;
const pollBackoff: Backoff = { firstInMs: 1000, longestInMs: 60_000 };

/** Polls, pushes and acknowledges; see `createForwarder` for the promises it keeps. */
export class DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly #memory = new RowMemory();
  readonly #backlog = new Backlog(this.#memory);
  readonly #pacer: Pacer;
  readonly #calls: SinkCalls;
  readonly #acks: AckBuffer;
  readonly #health: HealthRecord;
  /** Ends the taking of rows for good. */
  readonly #stopped = new AbortController();
  /** Ends it for the run that is under way. */
  #halt = new AbortController();
  /** End what is under way: pushes first, acknowledgements last. */
  readonly #cutPushes = new AbortController();
  readonly #cutAcks = new AbortController();
  #telemetry: Telemetry = noTelemetry;
  #fatal: ForwarderStoppedError | undefined;
  #running: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: DeliveryLoopOptions) {
    this.#options = options;
    this.#pacer = new Pacer(options);
    this.#calls = new SinkCalls({ ...options, timeoutInMs: options.sinkTimeoutInMs });
    this.#health = new HealthRecord(options.clock, this.#backlog);
    this.#acks = new AckBuffer({
      clock: options.clock,
      random: options.random,
      intervalInMs: options.ackIntervalInMs,
      send: (results) => options.queue.ack(results, { signal: this.#cutAcks.signal }),
      onSettled: (results) => {
        for (const { id } of results) {
          this.#memory.settle(id);
          this.#backlog.settle(id);
        }
      },
      onFailure: (error) => this.#noteServiceFailure("acknowledging", error),
    });
  }

  /** Drains the queue and resolves. Rejects when the service cannot be reached or nothing can be delivered. */
  runOnce({ signal }: { signal?: AbortSignal } = {}): Promise<RunSummary> {
    return this.#occupy(signal, async (halt) => {
      const before = { ...this.#health.counts };
      const firstWalk = this.#memory.nextWalk;
      const mustGiveUp = runPatience(this.#pacer, this.#health, this.#options.clock);
      const giveUp = () => mustGiveUp() && halt.abort();
      let last: PassResult;
      try {
        last = await this.#pass(halt, giveUp);
        while (last.settled > 0 && !halt.signal.aborted) {
          await this.#acks.flush();
          last = await this.#pass(halt, giveUp);
        }
      } catch (error) {
        if (isRefusedKey(error)) this.#fail(messageOf(error));
        throw this.#fatal ?? error;
      } finally {
        // Also what was delivered before the failure is to be acknowledged; if that fails too, the first one is told.
        await this.#acks.flush().catch(() => undefined);
      }
      this.#throwIfFatal();
      return {
        ...countsSince(this.#health.counts, before),
        deferred: this.#memory.deferredSince(firstWalk),
        unacknowledged: this.#acks.size,
        isComplete: last.isComplete && !halt.signal.aborted,
      };
    });
  }

  /** Works until `stop()`, and then resolves. Rejects only when nothing can be delivered any more. */
  start(): Promise<void> {
    return this.#occupy(undefined, async (halt) => {
      const { clock } = this.#options;
      let failures = 0;
      while (!halt.signal.aborted) {
        const startedAt = clock.now();
        try {
          await this.#pass(halt, () => undefined);
          failures = 0;
        } catch (error) {
          failures += 1;
          this.#noteServiceFailure("polling", error);
        }
        // Told to onFailure; the results stay and are sent again.
        await this.#acks.flush().catch(() => undefined);
        await clock.sleep(this.#idleInMs(clock.now() - startedAt, failures), halt.signal);
      }
      this.#throwIfFatal();
    });
  }

  /**
   * Takes no more rows, lets what is under way finish, acknowledges it, and closes the sink: within
   * `drainTimeoutInMs`, behind which rows under way stay pending.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#drain();
    return this.#stopping;
  }

  health(): ForwarderHealth {
    return this.#health.read({
      sink: this.#options.sink.name,
      unacknowledged: this.#acks.size,
      deferred: this.#memory.deferredCount,
      pausedUntil: this.#pacer.pausedUntil,
    });
  }

  /** Only `stop()` is for good: what was fatal may be mended before the next run. */
  async #occupy<T>(signal: AbortSignal | undefined, run: (halt: AbortController) => Promise<T>): Promise<T> {
    if (this.#stopped.signal.aborted) {
      throw new ConfigurationError("This forwarder was stopped; create a new one.");
    }
    if (this.#running) throw new ConfigurationError("This forwarder is already running.");
    this.#health.state = "running";
    this.#fatal = undefined;
    const halt = this.#linkedHalt(signal);
    this.#halt = halt;
    const running = this.#options.telemetry().then((telemetry) => {
      this.#telemetry = telemetry;
      return run(halt);
    });
    this.#running = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#running = undefined;
      // Also takes its listeners off the caller's signal, which may outlive many runs.
      halt.abort();
      if (this.#health.state === "running") this.#health.state = "idle";
    }
  }

  #pass(halt: AbortController, onSinkFailure: () => void): Promise<PassResult> {
    const { queue } = this.#options;
    const pass = new Pass({
      ...this.#options,
      telemetry: this.#telemetry,
      walk: () => queue.pendingScores({ signal: halt.signal }).pages(),
      memory: this.#memory,
      backlog: this.#backlog,
      pacer: this.#pacer,
      calls: this.#calls,
      acks: this.#acks,
      health: this.#health,
      halt: halt.signal,
      cut: this.#cutPushes.signal,
      onFatal: (reason) => this.#fail(reason),
      onSinkFailure,
    });
    return pass.run();
  }

  /** A halt of one run, which the whole loop's halt and the caller's signal bring about. */
  #linkedHalt(signal: AbortSignal | undefined): AbortController {
    const halt = new AbortController();
    halt.signal.addEventListener("abort", () => this.#pacer.wake(), { once: true });
    const abort = () => halt.abort();
    for (const source of [this.#stopped.signal, ...(signal ? [signal] : [])]) {
      if (source.aborted) abort();
      else source.addEventListener("abort", abort, { once: true, signal: halt.signal });
    }
    return halt;
  }

  /** A long walk that found little must not be repeated at once: at most half of the time is spent on polling. */
  #idleInMs(passInMs: number, failures: number): number {
    if (failures > 0) return backoffInMs(pollBackoff, failures, this.#options.random);
    return Math.max(this.#options.pollIntervalInMs, Math.min(passInMs, longestIdleInMs));
  }

  #noteServiceFailure(doing: string, error: unknown): void {
    if (this.#stopped.signal.aborted && !ApiError.isInstance(error)) return;
    const message = messageOf(error);
    this.#health.lastProblem = message;
    if (isRefusedKey(error)) this.#fail(message);
    else this.#options.logger.warn(`${doing} failed: ${message}`);
  }

  /** Ends the run; rows under way keep their outcomes, all others stay pending. */
  #fail(reason: string): void {
    this.#fatal ??= new ForwarderStoppedError(`The forwarder has stopped: ${reason}`);
    this.#health.state = "failed";
    this.#health.lastProblem = reason;
    this.#options.logger.error(this.#fatal.message);
    this.#halt.abort();
  }

  #throwIfFatal(): void {
    if (this.#fatal) throw this.#fatal;
  }

  async #drain(): Promise<void> {
    const { clock, drainTimeoutInMs } = this.#options;
    const drained = new AbortController();
    const after = (share: number) => clock.sleep(drainTimeoutInMs * share, drained.signal);
    const cutAfter = (share: number, cut: AbortController) => after(share).then(() => cut.abort());
    this.#cutPushes.signal.addEventListener("abort", () => this.#calls.cut(), { once: true });
    if (this.#health.state !== "failed") this.#health.state = "stopping";
    this.#stopped.abort();
    try {
      const end = after(1);
      void cutAfter(deliveryShareOfDrain, this.#cutPushes);
      const cut = cutAfter(acknowledgingShareOfDrain, this.#cutAcks);
      await Promise.race([this.#finish(), cut.then(() => clock.sleep(0))]);
      await Promise.race([this.#options.sink.close?.(), end]);
    } finally {
      drained.abort();
    }
    if (this.#health.state !== "failed") this.#health.state = "stopped";
  }

  /** What is under way, to its acknowledgement. */
  async #finish(): Promise<void> {
    await this.#running;
    await this.#acks.flush().catch(() => undefined);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
