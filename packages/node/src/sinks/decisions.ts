import type { Outcome } from "../scores/sink.ts";

interface Decided {
  /** By the sink's index: that it has accepted the score or refused it for good. */
  bySink: (Outcome | undefined)[];
  /** When the forwarder last delivered the score. */
  seenAt: number;
}

/** Shared by all scores, of which there may be tens of thousands. */
const delivered: Outcome = { outcome: "delivered" };

/** A score that has not come back for so long was delivered or erased: the forwarder's longest pause is an hour. */
const abandonedAfterInMs = 2 * 3_600_000;

/** The rest of the places is for probes: a new score may show that a sink is back when no known score is due. */
const shareWithoutProbes = 0.9;

/**
 * Remembers which sinks have decided about a score that others still lack. A decision is never dropped for a new score:
 * a sink would get the old one twice.
 */
export class Decisions {
  readonly #size: number;
  readonly #sinks: number;
  /** The least recently seen score comes first. */
  readonly #scores = new Map<string, Decided>();

  constructor(size: number, sinks: number) {
    this.#size = size;
    this.#sinks = sinks;
  }

  /** Reserves a place for this score. `false` when all places are taken; the last ones are for probes. */
  admit(id: string, now: number, isProbe: boolean): boolean {
    const known = this.#scores.get(id);
    const places = this.#size * (isProbe ? 1 : shareWithoutProbes);
    if (known === undefined && this.#scores.size >= places && !this.#dropAbandoned(now)) return false;
    this.#scores.delete(id);
    this.#scores.set(id, { bySink: known?.bySink ?? this.#undecided(), seenAt: now });
    return true;
  }

  of(id: string, sink: number): Outcome | undefined {
    return this.#scores.get(id)?.bySink[sink];
  }

  /** Records a decision, also of a call that has been given up: the sink has the score. */
  note(id: string, sink: number, outcome: Outcome, now: number): void {
    const known = this.#scores.get(id) ?? { bySink: this.#undecided(), seenAt: now };
    known.bySink[sink] = outcome.outcome === "delivered" ? delivered : outcome;
    this.#scores.set(id, known);
  }

  forget(id: string): void {
    this.#scores.delete(id);
  }

  /** Frees the place of a score that no sink has decided about. */
  forgetUndecided(id: string): void {
    if (this.#scores.get(id)?.bySink.every((outcome) => outcome === undefined)) this.#scores.delete(id);
  }

  #undecided(): (Outcome | undefined)[] {
    return Array.from({ length: this.#sinks });
  }

  #dropAbandoned(now: number): boolean {
    const [oldest] = this.#scores;
    if (oldest === undefined || now - oldest[1].seenAt < abandonedAfterInMs) return false;
    return this.#scores.delete(oldest[0]);
  }
}
