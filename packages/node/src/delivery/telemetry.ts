import type { DeliverableScore, Outcome } from "../scores/sink.ts";

/** What is told to a tracing and metrics library, in the loop's own words. */
export interface Telemetry {
  /** Wraps one call of the sink, which never rejects. `now` gives milliseconds. */
  deliver(
    sink: string,
    scores: readonly DeliverableScore[],
    call: () => Promise<Outcome[]>,
    now: () => number,
  ): Promise<Outcome[]>;
  /** One outcome of one score. */
  outcome(sink: string, outcome: Outcome["outcome"]): void;
  /**
   * The lag of each sink, as in the health: told with the pages of the queue and when the sink fails as a whole, at most
   * once a second, and when the queue cannot be read.
   */
  lag(sink: string, lagInMs: number): void;
}

export const noTelemetry: Telemetry = {
  deliver: (_sink, _scores, call) => call(),
  outcome: () => undefined,
  lag: () => undefined,
};
