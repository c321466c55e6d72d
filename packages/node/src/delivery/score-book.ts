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
  /** The first walk that can show whether an acknowledgement without an effect was one. */
  doubtedFrom?: number;
}

/** Most scores that are deferred at once, about 15 MB; while there are as many, no others are taken (decision O35). */
export const mostDeferred = 50_000;
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
  /** Those that are listed, oldest first; at most two pages. */
  readonly #next: ScoreEntry[] = [];
  #settled = new Set<string>();
  #settledBefore = new Set<string>();
  /** A walk that includes failed scores lists settled ones too, so that none of them may be forgotten. */
  keepsSettled = false;
  /** How many have failed and are not settled. */
  deferred = 0;

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
    if (known.state === "listed") known.score = score;
    if (known.state === "deferred" && known.trouble!.until <= now) this.#queue(known, score);
    return true;
  }

  #add(score: PendingScore, walk: number, now: number): void {
    const { id } = score;
    const entry: ScoreEntry = { id, at: Date.parse(score.at), state: "listed", listedAt: now, walk };
    this.#entries.set(id, entry);
    this.#queue(entry, score);
  }

  /** How many may be pushed. */
  get listed(): number {
    return this.#next.length;
  }

  /** Whether one of them never failed. */
  get hasUntried(): boolean {
    return this.#next.some(isUntried);
  }

  /** Takes up to `count` scores to be pushed; with `untried`, first those that never failed. */
  take(count: number, untried: boolean): ScoreEntry[] {
    const from = untried ? Math.max(0, this.#next.findIndex(isUntried)) : 0;
    const taken = this.#next.splice(from, count);
    for (const entry of taken) entry.state = "pushing";
    return taken;
  }

  /** Lets go of what was listed too long ago to be pushed. Returns whether there was any. */
  dropStale(now: number): boolean {
    const stale = this.#next.filter(({ listedAt }) => now - listedAt > freshForInMs);
    for (const entry of stale) this.release(entry);
    return stale.length > 0;
  }

  /** The attempt has failed; the next one follows a walk that lists the score when that is due. */
  defer(entry: ScoreEntry, trouble: Trouble): void {
    if (entry.trouble === undefined) this.deferred += 1;
    entry.trouble = trouble;
    entry.state = "deferred";
    entry.score = undefined;
  }

  /** The score stays pending at the service, and is pushed when it is listed again. */
  release(entry: ScoreEntry): void {
    if (entry.state === "listed") this.#next.splice(this.#next.indexOf(entry), 1);
    entry.score = undefined;
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
    entry.state = "listed";
    entry.score = score;
    this.#next.push(entry);
  }
}

const isUntried = ({ trouble }: ScoreEntry) => trouble === undefined;
