import type { DeliverableScore, Outcome, SinkOptions } from "../scores/sink.ts";
import type { DeliverySettings } from "./forwarder-options.ts";

type SinkCallsSettings = Pick<DeliverySettings, "sink" | "clock" | "sinkTimeoutInMs">;

const knownOutcomes = new Set(["delivered", "retry", "permanent", "fatal"]);

/** Names an error without its message, which may quote the score. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "something that is not an error";
  return "code" in error && typeof error.code === "string" ? `${error.name} ${error.code}` : error.name;
}

const times = (length: number, outcome: Outcome): Outcome[] => Array.from({ length }, () => outcome);

/** Creates the controller only when a sink reads its signal. A sink that answers at once never does. */
class CallOptions implements SinkOptions {
  #controller: AbortController | undefined;
  #isAborted = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}

/** A call that the sink has not answered yet. */
interface OpenCall {
  /** Its index among the open calls. */
  place: number;
  dueAt: number;
  scores: readonly DeliverableScore[];
  options: CallOptions;
  resolve: (outcomes: Outcome[]) => void;
}

/** Calls the sink. No call rejects or hangs. All share one timer, since a fast sink is called often. */
export class SinkCalls {
  readonly #options: SinkCallsSettings;
  /**
   * Unordered. Not a Set: V8 replaces its tables as entries come and go, and each old table refers to the next, so the
   * garbage of all calls would live until the old generation is collected.
   */
  readonly #open: OpenCall[] = [];
  #timer: AbortController | undefined;
  isCut = false;

  constructor(options: SinkCallsSettings) {
    this.#options = options;
  }

  /** Delivers once. An error or a timeout counts as `retry` for all scores. */
  deliver(scores: readonly DeliverableScore[]): Promise<Outcome[]> {
    const { sink, clock, sinkTimeoutInMs } = this.#options;
    return new Promise((resolve) => {
      const options = new CallOptions();
      const dueAt = clock.now() + sinkTimeoutInMs;
      const call: OpenCall = { place: this.#open.length, dueAt, scores, options, resolve };
      this.#open.push(call);
      this.#arm();
      const threw = (error: unknown) => this.#fail(call, `threw ${nameOf(error)}`);
      try {
        // A sink in JavaScript may answer without a promise.
        Promise.resolve(sink.deliver(scores, options)).then(
          (outcomes) => this.#answered(call, outcomes),
          threw,
        );
      } catch (error) {
        threw(error);
      }
    });
  }

  /** Gives up all open calls; their rows stay pending. */
  cut(): void {
    this.isCut = true;
    while (this.#open.length > 0) this.#giveUp(this.#open[0]!, "was cut off");
  }

  /** Stops the timer, which would keep the process alive. The next call starts a new one. */
  rest(): void {
    this.#timer?.abort();
    this.#timer = undefined;
  }

  /** A sink that breaks the interface must not make a row look delivered or refused. */
  #answered(call: OpenCall, outcomes: unknown): void {
    const { length } = call.scores;
    const isWhole = Array.isArray(outcomes) && outcomes.length === length;
    if (isWhole && outcomes.every((one) => knownOutcomes.has(one?.outcome))) {
      return this.#settle(call, outcomes as Outcome[]);
    }
    const reason = `sink ${this.#options.sink.name} must answer one outcome for each of ${length} scores`;
    this.#settle(call, times(length, { outcome: "fatal", reason }));
  }

  #fail(call: OpenCall, problem: string): void {
    const reason = `sink ${this.#options.sink.name} ${problem}`;
    this.#settle(call, times(call.scores.length, { outcome: "retry", scope: "sink", reason }));
  }

  #giveUp(call: OpenCall, problem: string): void {
    call.options.abort();
    this.#fail(call, problem);
  }

  /** Ignores outcomes that arrive after the call was given up. */
  #settle(call: OpenCall, outcomes: Outcome[]): void {
    if (this.#open[call.place] !== call) return;
    const last = this.#open.pop()!;
    if (last !== call) {
      last.place = call.place;
      this.#open[last.place] = last;
    }
    call.resolve(outcomes);
  }

  #arm(): void {
    if (this.#timer) return;
    const timer = new AbortController();
    this.#timer = timer;
    void this.#watch(timer.signal);
  }

  async #watch(stop: AbortSignal): Promise<void> {
    const { clock, sinkTimeoutInMs } = this.#options;
    while (!stop.aborted) {
      const first = Math.min(clock.now() + sinkTimeoutInMs, ...this.#open.map(({ dueAt }) => dueAt));
      await clock.sleep(first - clock.now(), stop);
      if (stop.aborted) return;
      const now = clock.now();
      const overdue = this.#open.filter(({ dueAt }) => dueAt <= now);
      for (const call of overdue) this.#giveUp(call, "did not answer in time");
    }
  }
}
