import type { PendingScore, ScoreResult } from "@afterword/protocol";
import type { Trouble } from "./trouble.ts";

/** The states that forwarder-core.ts draws; a settled score is known by its id alone. */
export type ScoreState = "listed" | "pushing" | "deferred" | "decided" | "doubtful";

export interface ScoreEntry {
  readonly id: string;
  /** When the person answered, in milliseconds since 1970. */
  readonly at: number;
  state: ScoreState;
  /** What would be pushed; kept only while it may be pushed without being listed again. */
  score?: PendingScore;
  /** From when on that may be pushed. */
  dueAt: number;
  /** When a page last listed it, and in which walk over the queue. */
  listedAt: number;
  walk: number;
  /** Why its last attempt failed. */
  trouble?: Trouble;
  /** Whether that was a refusal that may concern all scores (`fatal`). */
  isRefused?: boolean;
  /** How many scores the sink had accepted when this one failed first. */
  acceptedBefore?: number;
  /** The outcome that the service has to confirm. */
  result?: ScoreResult;
  /** The first walk that can show whether an acknowledgement without an effect was one. */
  doubtedFrom?: number;
}

/** Most scores that are deferred at once, about 15 MB; while there are as many, no others are taken (decision O35). */
export const mostDeferred = 50_000;
/** Most of them that keep their content for an early retry. */
const mostKept = 1000;
/** Settled ids are kept in two generations of this size, the older of which is dropped as a whole. */
const generationSize = 5000;

/**
 * How long a listed score may be pushed, in milliseconds. After that another forwarder may have delivered it, or the
 * person may have been erased: erasures wait this long (decision O63).
 */
export const freshForInMs = 60_000;

/** Every score that this forwarder holds or must remember, and the order in which they are pushed. */
export class ScoreBook {
  readonly #entries = new Map<string, ScoreEntry>();
  /** Those that can be pushed as they are, ordered by the moment from which they may. */
  readonly #next: ScoreEntry[] = [];
  #settled = new Set<string>();
  #settledBefore = new Set<string>();
  /** A walk that includes failed scores lists settled ones too, so that none of them may be forgotten. */
  keepsSettled = false;
  /** How many wait for another attempt, and how many for their first. */
  deferred = 0;
  listed = 0;

  get all(): Iterable<ScoreEntry> {
    return this.#entries.values();
  }

  get size(): number {
    return this.#entries.size;
  }

  get isFull(): boolean {
    return this.deferred >= mostDeferred;
  }

  get(id: string): ScoreEntry | undefined {
    return this.#entries.get(id);
  }

  isSettled(id: string): boolean {
    return this.#settled.has(id) || this.#settledBefore.has(id);
  }

  /** Adds a score, or notes that it was listed again. Returns whether it was known. */
  list(score: PendingScore, walk: number, now: number): boolean {
    if (this.isSettled(score.id)) return true;
    const known = this.#entries.get(score.id);
    if (known === undefined) {
      if (!this.isFull) this.#add(score, walk, now);
      return false;
    }
    known.walk = walk;
    known.listedAt = now;
    if (known.score !== undefined) known.score = score;
    else if (known.state === "deferred" && known.trouble!.until <= now) this.#queue(known, score);
    return true;
  }

  #add(score: PendingScore, walk: number, now: number): void {
    const { id } = score;
    const entry: ScoreEntry = {
      id,
      at: Date.parse(score.at),
      state: "listed",
      dueAt: now,
      listedAt: now,
      walk,
    };
    this.#entries.set(id, entry);
    this.listed += 1;
    this.#queue(entry, score);
  }

  /** How many may be pushed now. */
  dueCount(now: number): number {
    return this.#placeBehind(now);
  }

  /** When the first may be pushed; `undefined` if none can without being listed again. */
  get nextDueAt(): number | undefined {
    return this.#next[0]?.dueAt;
  }

  /** Takes up to `count` scores that may be pushed now; with `untried`, first those that never failed. */
  take(count: number, untried: boolean, now: number): ScoreEntry[] {
    const due = this.dueCount(now);
    const first = untried ? this.#next.slice(0, due).findIndex(({ trouble }) => trouble === undefined) : 0;
    const from = Math.max(0, first);
    const taken = this.#next.splice(from, Math.min(count, due - from));
    for (const entry of taken) {
      if (entry.state === "listed") this.listed -= 1;
      entry.state = "pushing";
    }
    return taken;
  }

  /** Lets go of what was listed too long ago to be pushed. Returns whether there was any. */
  dropStale(now: number): boolean {
    const stale = this.#next.filter(({ listedAt }) => now - listedAt > freshForInMs);
    for (const entry of stale) this.release(entry);
    return stale.length > 0;
  }

  /** The attempt has failed. `isSoon` keeps the content for a retry that needs no new listing. */
  defer(entry: ScoreEntry, trouble: Trouble, isSoon: boolean): void {
    const { score } = entry;
    if (entry.trouble === undefined) this.deferred += 1;
    entry.trouble = trouble;
    entry.state = "deferred";
    entry.score = undefined;
    const isFresh = trouble.until - entry.listedAt <= freshForInMs;
    entry.dueAt = trouble.until;
    if (isSoon && isFresh && score && this.#next.length < mostKept) this.#queue(entry, score);
  }

  /** The score stays pending at the service, and is pushed when it is listed again. */
  release(entry: ScoreEntry): void {
    const place = entry.score ? this.#next.indexOf(entry) : -1;
    if (place >= 0) this.#next.splice(place, 1);
    entry.score = undefined;
    if (entry.state === "listed") this.listed -= 1;
    if (entry.trouble === undefined) this.#entries.delete(entry.id);
    else entry.state = "deferred";
  }

  /** Has an outcome, which is to be acknowledged. */
  decide(entry: ScoreEntry, result: ScoreResult): void {
    entry.state = "decided";
    entry.score = undefined;
    entry.result = result;
  }

  /** The outcome is confirmed; a page that was fetched before may still list the score. */
  settle(id: string): void {
    this.forget(id);
    this.#settled.add(id);
    if (this.keepsSettled || this.#settled.size < generationSize) return;
    this.#settledBefore = this.#settled;
    this.#settled = new Set();
  }

  forget(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.release(entry);
    if (entry.trouble !== undefined) this.deferred -= 1;
    this.#entries.delete(id);
  }

  #queue(entry: ScoreEntry, score: PendingScore): void {
    entry.score = score;
    this.#next.splice(this.#placeBehind(entry.dueAt), 0, entry);
  }

  /** The place behind all that are due at or before this moment (binary search). */
  #placeBehind(moment: number): number {
    let [from, to] = [0, this.#next.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#next[middle]!.dueAt <= moment) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
