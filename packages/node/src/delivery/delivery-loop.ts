import { ApiError, isRefusedKey } from "../errors/api-error.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import { silentLogger } from "../options/logger.ts";
import { backoffInMs, type Backoff } from "../http/backoff.ts";
import { steadyClock } from "../options/clock.ts";
import { countsSince } from "./counts.ts";
import { type DeliveryState, deliveryState } from "./delivery-state.ts";
import type { DeliveryLoopOptions, RunSummary } from "./delivery-loop-options.ts";
import { drain } from "./drain.ts";
import type { ForwarderHealth } from "./health.ts";
import { Pass } from "./pass.ts";
import type { PassResult } from "./pass-options.ts";
import { runPatience } from "./run-patience.ts";
import type { ServiceCall } from "./service-contact.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";
import { reasonOf } from "./waiting.ts";
import { WaitingReport } from "./waiting-report.ts";

const longestIdleInMs = 60_000;
const pollBackoff: Backoff = { firstInMs: 1000, longestInMs: 60_000 };

/** Polls, pushes and acknowledges; see `createForwarder` for the promises it keeps. */
export class DeliveryLoop {
  readonly #options: DeliveryLoopOptions;
  readonly #state: DeliveryState;
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
    this.#options = { ...options, clock: steadyClock(options.clock) };
    this.#state = deliveryState({
      ...this.#options,
      wallClock: options.clock,
      ackSignal: this.#cutAcks.signal,
      onAckFailure: (error) => this.#noteServiceFailure("acknowledging", error),
    });
    this.#state.memory.keepsSettled = options.includeFailed;
  }

  /** Drains the queue and resolves. Rejects when the service cannot be reached or nothing can be delivered. */
  runOnce({ signal }: { signal?: AbortSignal } = {}): Promise<RunSummary> {
    return this.#occupy(signal, async (halt) => {
      const before = { ...this.#state.health.counts };
      const firstWalk = this.#state.memory.nextWalk;
      const mustGiveUp = runPatience(this.#state.pacer, this.#state.health, this.#options.clock);
      const giveUp = () => mustGiveUp() && halt.abort();
      let last: PassResult;
      try {
        last = await this.#pass(halt, Infinity, giveUp);
        while (last.settled > 0 && !halt.signal.aborted) {
          await this.#state.acks.flush();
          last = await this.#pass(halt, Infinity, giveUp);
        }
      } catch (error) {
        throw this.#fatal ?? (isRefusedKey(error) ? this.#fail(reasonOf(error)) : error);
      } finally {
        // Also what was delivered before the failure is to be acknowledged; if that fails too, the first one is told.
        await this.#state.acks.flush().catch(() => undefined);
      }
      this.#throwIfFatal();
      const counts = countsSince(this.#state.health.counts, before);
      // A run that must end has no time to see more: where all was refused, it says so.
      const { lastReason } = this.#state.refusals;
      const isCutOff = this.#stopped.signal.aborted || signal?.aborted === true;
      if (lastReason !== undefined && counts.delivered + counts.failed === 0 && !isCutOff) {
        throw this.#fail(lastReason);
      }
      return {
        ...counts,
        deferred: this.#state.memory.deferredSince(firstWalk),
        unacknowledged: this.#state.acks.size,
        isComplete: last.isComplete && !halt.signal.aborted,
      };
    });
  }

  /** Works until `stop()`, and then resolves. Rejects only when nothing can be delivered any more. */
  start(): Promise<void> {
    return this.#occupy(undefined, async (halt) => {
      const { clock, pollIntervalInMs, random } = this.#options;
      let failures = 0;
      while (!halt.signal.aborted) {
        let idleInMs = pollIntervalInMs;
        try {
          idleInMs = this.#idleInMs(await this.#pass(halt, pollIntervalInMs, () => undefined));
          failures = 0;
        } catch (error) {
          failures += 1;
          idleInMs = backoffInMs(pollBackoff, failures, random);
          this.#noteServiceFailure("polling", error);
        }
        // Told to onFailure; the results stay and are sent again. Until they are confirmed, each poll lists their rows.
        await this.#state.acks
          .flush()
          .catch(() => (idleInMs = Math.max(idleInMs, this.#state.acks.pauseInMs)));
        this.#state.service.nextPollAt = clock.now() + idleInMs;
        await clock.sleep(idleInMs, halt.signal);
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
    return this.#state.health.read();
  }

  /** Only `stop()` is for good: what was fatal may be mended before the next run. */
  async #occupy<T>(signal: AbortSignal | undefined, run: (halt: AbortController) => Promise<T>): Promise<T> {
    if (this.#stopped.signal.aborted) {
      throw new ConfigurationError("This forwarder was stopped; create a new one.");
    }
    if (this.#running) throw new ConfigurationError("This forwarder is already running.");
    const { clock, logger } = this.#options;
    this.#state.health.state = "running";
    this.#fatal = undefined;
    this.#state.refusals.accepted();
    this.#state.memory.forgetRefusals();
    const halt = this.#linkedHalt(signal);
    this.#halt = halt;
    this.#state.acks.wake();
    if (logger !== silentLogger)
      void new WaitingReport(clock, logger, () => this.health()).watch(halt.signal);
    const running = this.#options.telemetry().then((telemetry) => {
      this.#telemetry = telemetry;
      return run(halt);
    });
    this.#running = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#running = undefined;
      this.#state.acks.rest();
      // Also takes its listeners off the caller's signal, which may outlive many runs.
      halt.abort();
      if (this.#state.health.state === "running") this.#state.health.state = "idle";
    }
  }

  async #pass(halt: AbortController, mostIdleInMs: number, onSinkFailure: () => void): Promise<PassResult> {
    const { queue } = this.#options;
    const pass = new Pass({
      ...this.#options,
      ...this.#state,
      telemetry: this.#telemetry,
      mostIdleInMs,
      walk: () => {
        // Known until the first walk is over.
        const includeFailed = this.#state.memory.keepsSettled || undefined;
        return queue.pendingScores({ signal: halt.signal, includeFailed }).pages();
      },
      halt: halt.signal,
      cut: this.#cutPushes.signal,
      onFatal: (reason) => this.#fail(reason),
      onPage: () => {
        this.#state.health.polled();
        this.#state.service.succeeded("polling");
      },
      onSinkFailure,
    });
    const result = await pass.run();
    if (result.isComplete) this.#state.memory.keepsSettled = false;
    return result;
  }

  /** A halt of one run, which the whole loop's halt and the caller's signal bring about. */
  #linkedHalt(signal: AbortSignal | undefined): AbortController {
    const halt = new AbortController();
    halt.signal.addEventListener("abort", () => this.#state.pacer.wake(), { once: true });
    const abort = () => halt.abort();
    for (const source of [this.#stopped.signal, ...(signal ? [signal] : [])]) {
      if (source.aborted) abort();
      else source.addEventListener("abort", abort, { once: true, signal: halt.signal });
    }
    return halt;
  }

  /** A long walk that found little must not be repeated at once: at most half of the time is spent on polling. */
  #idleInMs({ settled, listed, pollingInMs }: PassResult): number {
    const { pollIntervalInMs } = this.#options;
    return settled * 2 >= listed
      ? pollIntervalInMs
      : Math.max(pollIntervalInMs, Math.min(pollingInMs, longestIdleInMs));
  }

  #noteServiceFailure(call: ServiceCall, error: unknown): void {
    if (this.#stopped.signal.aborted && !ApiError.isInstance(error)) return;
    if (call === "polling") this.#state.health.pollFailed();
    this.#state.health.lastProblem = reasonOf(error);
    if (this.#state.service.failed(call, error, this.#options.clock.now())) this.#fail(reasonOf(error));
    for (const { sink, lagInMs } of this.#state.health.sinks()) this.#telemetry.lag(sink, lagInMs ?? 0);
  }

  /** Ends the run; rows under way keep their outcomes, all others stay pending. */
  #fail(reason: string): ForwarderStoppedError {
    this.#fatal ??= new ForwarderStoppedError(`The forwarder has stopped: ${reason}`);
    this.#state.health.state = "failed";
    this.#state.health.lastProblem = reason;
    this.#options.logger.error(this.#fatal.message);
    this.#halt.abort();
    return this.#fatal;
  }

  #throwIfFatal(): void {
    if (this.#fatal) throw this.#fatal;
  }

  async #drain(): Promise<void> {
    const { clock, drainTimeoutInMs: timeoutInMs, sink } = this.#options;
    if (this.#state.health.state !== "failed") this.#state.health.state = "stopping";
    this.#stopped.abort();
    await drain({
      clock,
      timeoutInMs,
      finish: () => this.#finish(),
      cutPushes: () => {
        this.#cutPushes.abort();
        this.#state.calls.cut();
      },
      cutAcks: () => this.#cutAcks.abort(),
      close: () => sink.close?.(),
    });
    this.#state.acks.rest();
    if (this.#state.health.state !== "failed") this.#state.health.state = "stopped";
  }

  /** What is under way, to its acknowledgement. */
  async #finish(): Promise<void> {
    await this.#running;
    await this.#state.acks.flush().catch(() => undefined);
  }
}
