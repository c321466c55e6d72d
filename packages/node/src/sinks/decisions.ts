import { type Outcome } from "../delivery/sink.ts";

interface Decided {
  /** By the sink's name: what it has accepted or refused for good. */
  bySink: Map<string, Outcome>;
  /** When the forwarder last brought the score. */
  seenAt: number;
}

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
  /** The one that was not seen for longest comes first. */
  readonly #scores = new Map<string, Decided>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Keeps a place for this score; `false` when all places are taken by others. The last are for those that probe. */
  admit(id: string, now: number, isProbe: boolean): boolean {
    const known = this.#scores.get(id);
    const places = this.#size * (isProbe ? 1 : shareWithoutProbes);
    if (known === undefined && this.#scores.size >= places && !this.#dropAbandoned(now)) return false;
    this.#scores.delete(id);
    this.#scores.set(id, { bySink: known?.bySink ?? new Map<string, Outcome>(), seenAt: now });
    return true;
  }

  of(id: string, sink: string): Outcome | undefined {
    return this.#scores.get(id)?.bySink.get(sink);
  }

  /** Also of a call that was given up meanwhile: the sink has the score. */
  note(id: string, sink: string, outcome: Outcome, now: number): void {
    const known = this.#scores.get(id) ?? { bySink: new Map<string, Outcome>(), seenAt: now };
    known.bySink.set(sink, outcome);
    this.#scores.set(id, known);
  }

  forget(id: string): void {
    this.#scores.delete(id);
  }

  /** A score that no sink has decided needs no place. */
  forgetUndecided(id: string): void {
    if (this.#scores.get(id)?.bySink.size === 0) this.#scores.delete(id);
  }

  #dropAbandoned(now: number): boolean {
    const [oldest] = this.#scores;
    if (oldest === undefined || now - oldest[1].seenAt < abandonedAfterInMs) return false;
    return this.#scores.delete(oldest[0]);
  }
}
