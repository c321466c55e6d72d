import type { ScoreResult } from "@afterword/protocol";
import { ConfigurationError, ForwarderStoppedError } from "../errors/afterword-error.ts";
import { errorName } from "../errors/error-name.ts";
import { type PendingScores, type PendingScoresPage, wellFormed } from "../queue/pending-scores.ts";
import type { Effect } from "./agenda.ts";
import { ForwarderCore } from "./forwarder-core.ts";
import { type DeliverySettings, deliverySettings } from "./forwarder-options.ts";
import type { ForwarderEnvironment, ForwarderOptions } from "./forwarder-options.ts";
import type { RunSummary } from "./forwarder-state.ts";
import { type ForwarderStatus, readStatus } from "./forwarder-status.ts";
import { pushScores } from "./push-scores.ts";
import { watch } from "./watch.ts";

/** What has happened: changes the core. */
type Change = (core: ForwarderCore, now: number) => void;

const giveBackTimeoutInMs = 2000;

/** A forwarder. One run at a time; only `stop()` or `await using` ends it for good. */
export interface Forwarder extends AsyncDisposable {
  /**
   * Drains the queue and resolves: for cron, serverless functions and workflow engines. Rejects with a
   * `ForwarderStoppedError` when a key is refused, and may be called again once that is fixed. Otherwise rejects with the
   * error that kept the queue from being read or scores from being acknowledged, also if another attempt then succeeded.
   */
  runOnce(options?: { signal?: AbortSignal | undefined }): Promise<RunSummary>;
  /** Works until `stop()`. Rejects with a `ForwarderStoppedError` when a key is refused. */
  start(): Promise<void>;
  /**
   * Graceful shutdown: takes no more scores, finishes and acknowledges what is under way and closes the sink, all within
   * `drainTimeoutInMs`. Scores that are still under way then stay pending.
   */
  stop(): Promise<void>;
  health(): ForwarderStatus;
}

/**
 * The shell of the core: carries out its effects, tells it what came of them and wakes it in time. The core is drawn in
 * forwarder-state.ts.
 */
export class DeliveryLoop implements Forwarder {
  readonly #settings: DeliverySettings;
  readonly #core: ForwarderCore;
  #stopping: Promise<void> | undefined;
  /** Settles, and its signal is aborted, when the run has ended. */
  #end = runEnd();
  /** Whether a run has not ended, or its lease is being given back. */
  #isRunning = false;
  #timer = new AbortController();
  #wakesAt = Infinity;

  /** Throws for options that are not valid. */
  constructor(options: ForwarderOptions & ForwarderEnvironment) {
    this.#settings = deliverySettings(options);
    this.#core = new ForwarderCore(this.#settings);
  }

  // Functions, so that `stop` can be passed on as it is, for example as the listener of a signal.
  readonly health = () => readStatus(this.#core, this.#settings);
  readonly start = async () => void (await this.#run("poll"));
  readonly runOnce = ({ signal }: { signal?: AbortSignal } = {}) => this.#run("drain", signal);
  readonly stop = () => (this.#stopping ??= this.#stop());
  readonly [Symbol.asyncDispose] = this.stop;

  async #run(mode: "poll" | "drain", signal?: AbortSignal): Promise<RunSummary> {
    if (this.#stopping) throw new ConfigurationError("This forwarder was stopped; create a new one.");
    if (this.#isRunning) throw new ConfigurationError("This forwarder is already running.");
    this.#isRunning = true;
    const { summary, over } = (this.#end = runEnd());
    const halt = () => this.#step((core, now) => core.run?.end("halted", now));
    this.#settings.telemetry?.begin(this.health, this.#settings.stopped.signal);
    this.#step((core, now) => {
      core.begin(mode, now);
      if (signal?.aborted) core.run?.end("halted", now);
    });
    // The caller's signal may outlive many runs.
    signal?.addEventListener("abort", halt, { signal: over.signal });
    const watching = watch(this.#settings, this.health, over.signal).catch(this.#crash);
    try {
      return await summary;
    } finally {
      await watching;
      this.#isRunning = false;
    }
  }

  async #stop(): Promise<void> {
    const { clock, drainTimeoutInMs, logger, sink, stopped } = this.#settings;
    const drained = new AbortController();
    const end = clock.sleep(drainTimeoutInMs, drained.signal);
    stopped.abort();
    if (!this.#core.run) this.#end = runEnd();
    this.#step((core, now) => core.stop(now));
    await Promise.race([this.#end.summary.catch(() => undefined), end]);
    let problem: string | undefined;
    try {
      await Promise.race([sink.close?.(), end]);
    } catch (error) {
      problem = `closing sink ${sink.name} failed: ${errorName(error)}`;
      logger.warn(problem);
    }
    drained.abort();
    this.#core.close(problem);
  }

  /** Changes the core and does what is due then. */
  readonly #step = (change: Change): void => {
    try {
      const now = this.#settings.clock.now();
      change(this.#core, now);
      const { effects, wakeAt } = this.#core.plan(now);
      for (const effect of effects)
        this.#perform(effect).then((change) => change && this.#step(change), this.#crash);
      this.#wake(wakeAt);
    } catch (error) {
      this.#crash(error);
    }
  };

  /** Ends the run because of a fault in this program or in what it was given, which must not end the whole process. */
  readonly #crash = (error: unknown): void => {
    this.#core.crash();
    this.#abortAll();
    this.#end.reject(error);
  };

  #abortAll(): void {
    this.#end.over.abort();
    this.#timer.abort();
    this.#wakesAt = Infinity;
  }

  #perform(effect: Effect): Promise<Change | void> {
    if (effect.do === "poll") return this.#poll(effect);
    if (effect.do === "push") return this.#push(effect);
    return effect.do === "end" ? this.#finish(effect) : this.#acknowledge(effect.results);
  }

  async #poll({ pass, cursor, includeFailed }: Extract<Effect, { do: "poll" }>): Promise<Change> {
    const { clock, lease, queue, warnOnce } = this.#settings;
    const { signal } = this.#end.over;
    try {
      const options = { signal, cursor, includeFailed: includeFailed || undefined, ...lease };
      const page = await firstPage(queue.pendingScores(options));
      // The event loop gets its turn with each page, since a sink that answers without I/O would starve it.
      await clock.turn?.();
      const { scores, malformed } = wellFormed(page.scores);
      if (page.leaseInSeconds === undefined)
        warnOnce(
          "the service offers no leases: a second forwarder of this queue would push each score twice",
        );
      const faults = [...new Set(malformed)].join(", ");
      if (faults !== "")
        warnOnce(`passed over ${malformed.length} malformed of the scores that the service lists: ${faults}`);
      return (core, now) => core.acceptPage(pass, { ...page, scores }, now);
    } catch (error) {
      return (core, now) => core.pageFailed(pass, error, now);
    }
  }

  async #push({ call, scores }: Extract<Effect, { do: "push" }>): Promise<Change> {
    const pushed = await pushScores(scores, this.#settings, call.cut.signal);
    for (const { outcome, score } of pushed)
      if (outcome && score) this.#settings.onOutcome(score, { ...outcome });
    return (core, now) => core.finishCall(call, pushed, now);
  }

  async #acknowledge(results: readonly ScoreResult[]): Promise<Change> {
    try {
      await this.#settings.queue.ack(results, { signal: this.#end.over.signal });
      return (core) => core.acknowledged();
    } catch (error) {
      return (core, now) => core.ackFailed(error, now);
    }
  }

  /** Other forwarders need not wait for the lease to end; if this fails, it ends by itself. */
  async #giveBack(): Promise<void> {
    const { clock, lease, queue } = this.#settings;
    const over = new AbortController();
    const call = { signal: over.signal, maxRetries: 0, limit: 1, ...lease, leaseInSeconds: 0 };
    const late = clock.sleep(giveBackTimeoutInMs, over.signal);
    await Promise.race([firstPage(queue.pendingScores(call)).catch(() => undefined), late]);
    over.abort();
  }

  async #finish({ summary, failure, holdsLease }: Extract<Effect, { do: "end" }>): Promise<void> {
    const { resolve, reject } = this.#end;
    this.#abortAll();
    if (ForwarderStoppedError.isInstance(failure)) this.#settings.logger.error(failure.message);
    if (holdsLease) await this.#giveBack();
    if (failure === undefined) resolve(summary);
    else reject(failure);
  }

  /** One timer for all that the core waits for. It may ring early, which costs less than setting it again. */
  #wake(wakeAt: number): void {
    if (wakeAt >= this.#wakesAt) return;
    this.#wakesAt = wakeAt;
    this.#timer.abort();
    this.#timer = new AbortController();
    const { signal } = this.#timer;
    const { clock } = this.#settings;
    const ring = () => {
      if (signal.aborted) return;
      this.#wakesAt = Infinity;
      this.#step(() => undefined);
    };
    clock.sleep(wakeAt - clock.now(), signal).then(ring, this.#crash);
  }
}

function runEnd() {
  const { promise: summary, ...settle } = Promise.withResolvers<RunSummary>();
  return { summary, ...settle, over: new AbortController() };
}

async function firstPage(scores: PendingScores): Promise<PendingScoresPage> {
  for await (const page of scores.pages()) return page;
  return { scores: [] };
}
