import type { Outcome } from "../scores/sink.ts";

interface Decided {
  /** By the sink's place among them: what it has accepted or refused for good. */
  bySink: (Outcome | undefined)[];
  /** When the forwarder last brought the score. */
  seenAt: number;
}

/** One for all: there may be tens of thousands. */
const delivered: Outcome = { outcome: "delivered" };

/** A score that was not brought for so long is delivered or erased: the forwarder's longest pause is an hour. */
const abandonedAfterInMs = 2 * 3_600_000;

/** A sink that all wait for is found to be back by a new score when no other is due. */
const shareWithoutProbes = 0.9;

/**
 * What each of several sinks has decided of scores that not all of them have. What is known is never forgotten for a
 * new score: the sinks that are done with one would be given it twice.
 */
export class Decisions {
  readonly #size: number;
  readonly #sinks: number;
  /** The one that was not seen for longest comes first. */
  readonly #scores = new Map<string, Decided>();

  constructor(size: number, sinks: number) {
    this.#size = size;
    this.#sinks = sinks;
  }

  /** Keeps a place for this score; `false` when all places are taken by others. The last are for those that probe. */
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

  /** Also of a call that was given up meanwhile: the sink has the score. */
  note(id: string, sink: number, outcome: Outcome, now: number): void {
    const known = this.#scores.get(id) ?? { bySink: this.#undecided(), seenAt: now };
    known.bySink[sink] = outcome.outcome === "delivered" ? delivered : outcome;
    this.#scores.set(id, known);
  }

  forget(id: string): void {
    this.#scores.delete(id);
  }

  /** A score that no sink has decided needs no place. */
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
