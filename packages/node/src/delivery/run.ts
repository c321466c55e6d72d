import { ApiError, isRefusedKey } from "../errors/api-error.ts";
import { ForwarderStoppedError } from "../errors/forwarder-stopped-error.ts";
import { backoffInMs, type Backoff } from "../http/backoff.ts";
import type { Delivery } from "./delivery.ts";
import type { DeliveryCounts } from "./health.ts";
import { Pass, type PassResult } from "./pass.ts";
import type { ServiceCall } from "./service-contact.ts";
import { reasonOf } from "./waiting.ts";

/** What one run has done. */
export interface RunSummary extends DeliveryCounts {
  /** Rows that the run put off, or met before their time, because the sink cannot take them now; they stay pending. */
  deferred: number;
  /**
   * Rows with an outcome that the service has not confirmed. This forwarder tells it again; when the process ends before
   * that, the next one delivers them again.
   */
  unacknowledged: number;
  /** Whether the queue was read to its end; `false` when the run was interrupted, or has given up on the sink. */
  isComplete: boolean;
}

const pollBackoff: Backoff = { firstInMs: 1000, longestInMs: 60_000 };
const longestIdleInMs = 60_000;

/** `drain` gives up on a sink that fails this often in a row, asks for a longer pause, or decides on no row for as long. */
const failuresBeforeGivingUp = 5;
const longestPauseInMs = 60_000;

/** One run of a forwarder, from `start()` or `runOnce()` until it ends. */
export class Run {
  readonly #delivery: Delivery;
  readonly #signal: AbortSignal | undefined;
  readonly #halt = new AbortController();
  #fatal: ForwarderStoppedError | undefined;

  /** The signal is the caller's, which halts the run as `stop()` does. */
  constructor(delivery: Delivery, signal?: AbortSignal) {
    this.#delivery = delivery;
    this.#signal = signal;
    this.halted.addEventListener("abort", () => delivery.limiter.wake(), { once: true });
    for (const source of [delivery.stopped.signal, ...(signal ? [signal] : [])]) {
      if (source.aborted) this.halt();
      else source.addEventListener("abort", () => this.halt(), { once: true, signal: this.halted });
    }
  }

  get halted(): AbortSignal {
    return this.#halt.signal;
  }

  halt(): void {
    this.#halt.abort();
  }

  /** Walks the queue until nothing is left to deliver. Rejects when it cannot be read or nothing can be delivered. */
  async drain(): Promise<RunSummary> {
    const { acks, health, memory, refusals, stopped } = this.#delivery;
    const before = { ...health.counts };
    const firstWalk = memory.nextWalk;
    const mustGiveUp = this.#patience();
    const giveUp = () => void (mustGiveUp() && this.halt());
    let last: PassResult;
    try {
      last = await this.#pass(Infinity, giveUp);
      while (last.decided > 0 && !this.halted.aborted) {
        await acks.flush();
        last = await this.#pass(Infinity, giveUp);
      }
    } catch (error) {
      throw this.#fatal ?? (isRefusedKey(error) ? this.#fail(reasonOf(error)) : error);
    } finally {
      // Acknowledges what was delivered before a failure. If that fails too, the first failure is reported.
      await acks.flush().catch(() => undefined);
    }
    this.#throwIfFatal();
    const { delivered, failed, retried } = health.counts;
    const counts = {
      delivered: delivered - before.delivered,
      failed: failed - before.failed,
      retried: retried - before.retried,
    };
    // A run has no time to wait for more evidence: if every row was refused, it says so.
    const { lastReason } = refusals;
    const isCutOff = stopped.signal.aborted || this.#signal?.aborted === true;
    if (lastReason !== undefined && counts.delivered + counts.failed === 0 && !isCutOff) {
      throw this.#fail(lastReason);
    }
    return {
      ...counts,
      deferred: memory.deferredSince(firstWalk),
      unacknowledged: acks.size,
      isComplete: last.isComplete && !this.halted.aborted,
    };
  }

  /** Walks the queue again and again until the run is halted. Rejects only when nothing can be delivered any more. */
  async poll(): Promise<void> {
    const { acks, clock, pollIntervalInMs, random, service } = this.#delivery;
    let failures = 0;
    while (!this.halted.aborted) {
      let idleInMs = pollIntervalInMs;
      try {
        idleInMs = this.#idleInMs(await this.#pass(pollIntervalInMs, () => undefined));
        failures = 0;
      } catch (error) {
        failures += 1;
        idleInMs = backoffInMs(pollBackoff, failures, random);
        this.noteServiceFailure("polling", error);
      }
      // The buffer reports failures and keeps the results. Until they are confirmed, each poll lists their rows again.
      await acks.flush().catch(() => (idleInMs = Math.max(idleInMs, acks.pauseInMs)));
      service.nextPollAt = clock.now() + idleInMs;
      await clock.sleep(idleInMs, this.halted);
    }
    this.#throwIfFatal();
  }

  /** Records why a call of the service failed, and ends the run when the service refuses the key. */
  noteServiceFailure(call: ServiceCall, error: unknown): void {
    const { clock, health, service, stopped, telemetry } = this.#delivery;
    if (stopped.signal.aborted && !ApiError.isInstance(error)) return;
    if (call === "polling") health.pollFailed();
    health.lastProblem = reasonOf(error);
    if (service.failed(call, error, clock.now())) this.#fail(reasonOf(error));
    for (const { sink, lagInMs } of health.sinks()) telemetry.lag(sink, lagInMs ?? 0);
  }

  async #pass(mostIdleInMs: number, onSinkFailure: () => void): Promise<PassResult> {
    const onFatal = (reason: string) => void this.#fail(reason);
    return new Pass(this.#delivery, { halted: this.halted, mostIdleInMs, onSinkFailure, onFatal }).run();
  }

  /** A long walk that found little is not repeated at once: at most half of the time goes into polling. */
  #idleInMs({ decided, listed, pollingInMs }: PassResult): number {
    const { pollIntervalInMs } = this.#delivery;
    return decided * 2 >= listed
      ? pollIntervalInMs
      : Math.max(pollIntervalInMs, Math.min(pollingInMs, longestIdleInMs));
  }

  /** Returns whether `drain` must give up, called after each failure of the sink. */
  #patience(): () => boolean {
    const { clock, health, limiter } = this.#delivery;
    const decided = () => health.counts.delivered + health.counts.failed;
    let last = { decided: decided(), at: clock.now() };
    return () => {
      const now = clock.now();
      if (last.decided !== decided()) last = { decided: decided(), at: now };
      return (
        limiter.failures >= failuresBeforeGivingUp ||
        (limiter.pause?.notBefore ?? now) - now > longestPauseInMs ||
        now - last.at > longestPauseInMs
      );
    };
  }

  /** Ends the run. Rows under way keep their outcomes; all others stay pending. */
  #fail(reason: string): ForwarderStoppedError {
    const { health, logger } = this.#delivery;
    this.#fatal ??= new ForwarderStoppedError(`The forwarder has stopped: ${reason}`);
    health.state = "failed";
    health.lastProblem = reason;
    logger.error(this.#fatal.message);
    this.halt();
    return this.#fatal;
  }

  #throwIfFatal(): void {
    if (this.#fatal) throw this.#fatal;
  }
}
