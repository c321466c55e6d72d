import type { PendingScore, ScoreResult } from "@afterword/protocol";
import type { RunSummary, SinkCall } from "./forwarder-state.ts";

/** `end` aborts whatever is under way. */
export type Effect =
  | { do: "poll"; pass: number; cursor: string | undefined; includeFailed: boolean }
  | { do: "push"; call: SinkCall; scores: PendingScore[] }
  | { do: "acknowledge"; results: ScoreResult[] }
  | { do: "end"; summary: RunSummary; failure: unknown; holdsLease: boolean };

/** Collects the effects that are due now, and the moment at which the core must plan again. */
export class Agenda {
  readonly now: number;
  readonly effects: Effect[] = [];
  wakeAt = Infinity;

  constructor(now: number) {
    this.now = now;
  }

  /** Whether the moment has come; otherwise the core is woken then. */
  isDue(moment: number): boolean {
    if (moment <= this.now) return true;
    this.wakeAt = Math.min(this.wakeAt, moment);
    return false;
  }
}
