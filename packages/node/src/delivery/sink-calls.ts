import type { Clock } from "./clock.ts";
import type { DeliverableScore, Outcome, Sink, SinkOptions } from "./sink.ts";

export interface SinkCallsOptions {
  sink: Sink;
  clock: Clock;
  /** Milliseconds until a call of the sink is given up. */
  timeoutInMs: number;
}

/** A call that has not been answered yet. */
interface OpenCall {
  dueAt: number;
  giveUp: (problem: string) => void;
}

const knownOutcomes = new Set(["delivered", "retry", "permanent", "fatal"]);

/** What went wrong, without the message, which may quote the score. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "something that is not an error";
  return "code" in error && typeof error.code === "string" ? `${error.name} ${error.code}` : error.name;
}

/** The controller is made when a sink asks for its signal: one that answers at once never does. */
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

/** Calls of the sink, none of which rejects or lasts for ever. All share one timer: a fast sink makes many calls. */
export class SinkCalls {
  readonly #options: SinkCallsOptions;
  /** In the order of their deadlines, since all have the same time. */
  readonly #open = new Set<OpenCall>();
  #timer: AbortController | undefined;

  constructor(options: SinkCallsOptions) {
    this.#options = options;
  }

  /** Delivers once. What the sink throws, and a call without an end, count as `retry` for all. */
  deliver(scores: readonly DeliverableScore[]): Promise<Outcome[]> {
    const { sink, clock, timeoutInMs } = this.#options;
    const options = new CallOptions();
    return new Promise((resolve) => {
      const settle = (outcomes: Outcome[]) => {
        this.#open.delete(call);
        resolve(outcomes);
      };
      const fail = (problem: string) =>
        settle(
          scores.map(() => ({ outcome: "retry", scope: "sink", reason: `sink ${sink.name} ${problem}` })),
        );
      const giveUp = (problem: string) => {
        options.abort();
        fail(problem);
      };
      const call: OpenCall = { dueAt: clock.now() + timeoutInMs, giveUp };
      this.#open.add(call);
      this.#arm();
      const threw = (error: unknown) => fail(`threw ${nameOf(error)}`);
      try {
        sink.deliver(scores, options).then((outcomes) => settle(this.#checked(outcomes, scores)), threw);
      } catch (error) {
        threw(error);
      }
    });
  }

  /** Gives up everything that is under way; those rows stay pending. */
  cut(): void {
    for (const call of this.#open) call.giveUp("was cut off");
  }

  /** Lets go of the timer, which would keep the process alive; the next call takes a new one. */
  rest(): void {
    this.#timer?.abort();
    this.#timer = undefined;
  }

  /** A sink that does not keep to the interface must not make a row look delivered or refused. */
  #checked(outcomes: unknown, scores: readonly DeliverableScore[]): Outcome[] {
    const isWhole = Array.isArray(outcomes) && outcomes.length === scores.length;
    if (isWhole && outcomes.every((one) => knownOutcomes.has(one?.outcome))) return outcomes as Outcome[];
    const reason = `sink ${this.#options.sink.name} must answer one outcome for each of ${scores.length} scores`;
    return scores.map(() => ({ outcome: "fatal", reason }));
  }

  #arm(): void {
    if (this.#timer) return;
    const timer = new AbortController();
    this.#timer = timer;
    void this.#watch(timer.signal);
  }

  async #watch(stop: AbortSignal): Promise<void> {
    const { clock, timeoutInMs } = this.#options;
    while (!stop.aborted) {
      const [oldest] = this.#open;
      await clock.sleep(oldest ? oldest.dueAt - clock.now() : timeoutInMs, stop);
      if (stop.aborted) return;
      const now = clock.now();
      for (const call of this.#open) {
        if (call.dueAt > now) break;
        call.giveUp("did not answer in time");
      }
    }
  }
}
