import type { PendingScore, ScoreResult } from "@afterword/protocol";
import type { Trouble } from "./trouble.ts";

/** The states that forwarder-state.ts draws; a settled score is known by its id alone. */
export type ScoreState = "listed" | "pushing" | "deferred" | "decided" | "doubtful";

export interface ScoreEntry {
  readonly id: string;
  /** When the person answered, in milliseconds since 1970. */
  readonly at: number;
  state: ScoreState;
  /** What is pushed; kept only while it is listed or pushing. */
  score?: PendingScore;
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
  /** The walk in which an acknowledgement was sent that may have changed nothing. */
  acknowledgedIn?: number;
}

/** Most scores that are deferred at once, about 15 MB. Then no others are taken: a forgotten one would be pushed too often. */
const mostDeferred = 50_000;
/** Doubtful scores beyond these count as settled. */
const mostDoubtful = 5000;
/** Settled ids are kept in two generations of this size, the older of which is dropped as a whole. */
const generationSize = 5000;

/**
 * How long a listed score may be pushed, in milliseconds. After that another forwarder may have delivered it, or the
 * person may have been erased: `eraseEverywhere` waits until no forwarder can hold their scores.
 */
export const freshForInMs = 60_000;

/** Every score that this forwarder holds or must remember, and the order in which they are pushed. */
export class ScoreBook {
  readonly #entries = new Map<string, ScoreEntry>();
  /** Those that are listed, the longest listed first; at most two pages. */
  readonly #listed = new Set<ScoreEntry>();
  #untried = 0;
  #settled = new Set<string>();
  #settledBefore = new Set<string>();
  /** How many are in these states. */
  readonly count = { deferred: 0, decided: 0, doubtful: 0 };
  /** A walk that includes failed scores lists settled ones too, so that none of them may be forgotten. */
  keepsSettled = false;

  get all(): Iterable<ScoreEntry> {
    return this.#entries.values();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** How many have no outcome. */
  get undelivered(): number {
    return this.size - this.unacknowledged;
  }

  /** How many have an outcome that the service has not confirmed. */
  get unacknowledged(): number {
    return this.count.decided + this.count.doubtful;
  }

  get isFull(): boolean {
    return this.count.deferred >= mostDeferred;
  }

  get(id: string): ScoreEntry | undefined {
    return this.#entries.get(id);
  }

  /** Adds a score, or notes that it was listed again. Returns whether it was known. */
  list(score: PendingScore, walk: number, now: number): boolean {
    const { id } = score;
    if (this.#settled.has(id) || this.#settledBefore.has(id)) return true;
    const known = this.#entries.get(id);
    if (known === undefined) {
      if (this.isFull) return false;
      const entry: ScoreEntry = { id, at: Date.parse(score.at), state: "listed", listedAt: now, walk };
      this.#entries.set(id, entry);
      this.#move(entry, "listed", score);
      return false;
    }
    known.walk = walk;
    known.listedAt = now;
    const isDue = known.state === "deferred" && known.trouble!.until <= now;
    if (isDue || known.state === "listed") this.#move(known, "listed", score);
    return true;
  }

  /** How many may be pushed. */
  get listed(): number {
    return this.#listed.size;
  }

  /** Whether one of them never failed. */
  get hasUntried(): boolean {
    return this.#untried > 0;
  }

  /** Takes up to `count` scores to be pushed; with `untriedFirst`, from the first that never failed. */
  take(count: number, untriedFirst: boolean): ScoreEntry[] {
    const taken: ScoreEntry[] = [];
    for (const entry of this.#listed) {
      if (taken.length === count) break;
      if (taken.length === 0 && untriedFirst && this.hasUntried && entry.trouble) continue;
      taken.push(entry);
    }
    for (const entry of taken) this.#move(entry, "pushing", entry.score);
    return taken;
  }

  /** Releases what was listed too long ago to be pushed. Returns whether there was any. */
  dropStale(now: number): boolean {
    const before = this.listed;
    for (const entry of this.#listed) {
      if (now - entry.listedAt <= freshForInMs) break;
      this.release(entry);
    }
    return this.listed < before;
  }

  /** The attempt has failed; the next one follows a walk that lists the score when that is due. */
  defer(entry: ScoreEntry, trouble: Trouble): void {
    this.#move(entry, "deferred");
    entry.trouble = trouble;
  }

  /** The score stays pending at the service, and is pushed when it is listed again. */
  release(entry: ScoreEntry): void {
    if (entry.trouble === undefined) this.forget(entry);
    else this.#move(entry, "deferred");
  }

  /** Has an outcome, which is to be acknowledged. */
  decide(entry: ScoreEntry, result: ScoreResult): void {
    this.#move(entry, "decided");
    entry.result = result;
  }

  /** Another forwarder may have acknowledged it, or the acknowledgement did nothing: if a later walk lists it, it did. */
  doubt(entry: ScoreEntry, walk: number): void {
    if (this.count.doubtful >= mostDoubtful) return this.settle(entry.id);
    this.#move(entry, "doubtful");
    entry.acknowledgedIn = walk;
  }

  /** The outcome is confirmed; a page that was fetched before may still list the score. */
  settle(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) this.forget(entry);
    this.#settled.add(id);
    if (this.keepsSettled || this.#settled.size < generationSize) return;
    this.#settledBefore = this.#settled;
    this.#settled = new Set();
  }

  forget(entry: ScoreEntry): void {
    this.#move(entry, undefined);
    this.#entries.delete(entry.id);
  }

  #move(entry: ScoreEntry, to: ScoreState | undefined, score?: PendingScore): void {
    const untried = entry.trouble === undefined ? 1 : 0;
    if (this.#listed.delete(entry)) this.#untried -= untried;
    if (entry.state in this.count) this.count[entry.state as keyof ScoreBook["count"]] -= 1;
    entry.score = score;
    if (to === undefined) return;
    entry.state = to;
    if (to in this.count) this.count[to as keyof ScoreBook["count"]] += 1;
    if (to !== "listed") return;
    this.#listed.add(entry);
    this.#untried += untried;
  }
}
