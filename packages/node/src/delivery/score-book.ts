import type { PendingScore } from "@afterword/protocol";
import type { Failure } from "../scores/failure.ts";

/** The states that forwarder-state.ts draws; a settled score has none. */
export type ScoreState = "listed" | "pushing" | "deferred" | "decided";

/** A score that is held or remembered; only the book changes it. */
export interface ScoreEntry {
  readonly id: string;
  /** When the person answered, in milliseconds since 1970. */
  readonly at: number;
  state: ScoreState;
  /** What is pushed; kept only while it is listed or pushing. */
  score: PendingScore | undefined;
  /** When a page last listed it, and in which pass over the queue. */
  listedAt: number;
  pass: number;
  /** Why its last attempt failed. */
  failure?: Failure;
  /** Whether any attempt was a refusal that may concern all scores (`fatal`). */
  isRefused?: boolean;
  /** Whether the service refuses its acknowledgement: the score is then kept from being pushed while it is listed. */
  isAckRefused?: boolean;
}

/**
 * Most scores that are deferred at once, about 15 MB. While there are so many, no new score is taken: forgetting one
 * instead would lose its backoff, and push it too often.
 */
const mostDeferred = 50_000;

/**
 * How long a listed score may be pushed, in milliseconds. After that another forwarder may have delivered it, or the
 * person may have been erased: `eraseEverywhere` waits until no forwarder can hold their scores.
 */
const freshForInMs = 60_000;

/** Every score that this forwarder holds or must remember, and the order in which they are pushed. */
export class ScoreBook {
  readonly #entries = new Map<string, ScoreEntry>();
  /** The same by state, those that have been in it for the longest first. At most two pages are listed. */
  readonly #in: Record<ScoreState, Set<ScoreEntry>> = {
    listed: new Set(),
    pushing: new Set(),
    deferred: new Set(),
    decided: new Set(),
  };
  /** Ids that the page under way may list although they are settled. */
  readonly #settled = new Set<string>();

  get all(): Iterable<Readonly<ScoreEntry>> {
    return this.#entries.values();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** How many are in this state. */
  count(state: ScoreState): number {
    return this.#in[state].size;
  }

  /** How many have no outcome. */
  get undelivered(): number {
    return this.size - this.count("decided");
  }

  /** Whether a listed score never failed. */
  get hasUntried(): boolean {
    for (const { failure } of this.#in.listed) if (failure === undefined) return true;
    return false;
  }

  /** A page lists a score. Returns whether it is known or there was room for it. */
  list(score: PendingScore, pass: number, now: number): boolean {
    const { id, at } = score;
    const known = this.#entries.get(id);
    if (known) {
      known.pass = pass;
      known.listedAt = now;
      const isDue = known.state === "deferred" && known.failure!.until <= now;
      if (isDue || known.state === "listed") this.#move(known, "listed", score);
      return true;
    }
    if (this.#settled.has(id)) return true;
    if (this.count("deferred") >= mostDeferred) return false;
    const entry = { id, at: Date.parse(at), state: "listed" as const, score, listedAt: now, pass };
    this.#entries.set(id, entry);
    this.#in.listed.add(entry);
    return true;
  }

  /** What a whole pass did not list was delivered by another forwarder, is leased by one, or was erased. */
  forgetUnlisted(pass: number): void {
    for (const entry of this.#entries.values()) {
      if (entry.pass === pass) continue;
      if (entry.state === "listed" || entry.state === "deferred") this.#forget(entry);
      if (entry.isAckRefused) this.settle(entry.id);
    }
  }

  /** Refused scores are tried again once they are listed. */
  forgetRefused(): void {
    for (const entry of this.#in.deferred) if (entry.isRefused) this.#forget(entry);
  }

  /** When the next score is due that failed lately, and not too often. */
  nextAttemptAt(mostAttempts: number): number {
    let soonest = Infinity;
    for (const { listedAt, failure } of this.#in.deferred) {
      const { count, until } = failure!;
      if (count < mostAttempts && until - listedAt <= freshForInMs) soonest = Math.min(soonest, until);
    }
    return soonest;
  }

  /** Takes up to `count` scores to be pushed; with `untriedFirst`, from the first that never failed. */
  take(count: number, untriedFirst: boolean): ScoreEntry[] {
    const taken: ScoreEntry[] = [];
    const skipsTried = untriedFirst && this.hasUntried;
    for (const entry of this.#in.listed) {
      if (taken.length === count) break;
      if (skipsTried && taken.length === 0 && entry.failure) continue;
      taken.push(entry);
      this.#move(entry, "pushing", entry.score);
    }
    return taken;
  }

  /** Releases what was listed too long ago to be pushed. Returns whether it released a score. */
  dropStale(now: number): boolean {
    const before = this.count("listed");
    for (const entry of this.#in.listed) {
      if (now - entry.listedAt <= freshForInMs) break;
      this.release(entry);
    }
    return this.count("listed") < before;
  }

  /** Releases all scores in this state. */
  releaseAll(state: "listed" | "pushing"): void {
    for (const entry of this.#in[state]) this.release(entry);
  }

  /** The score was not pushed: it stays pending at the service, and is pushed when it is listed again. */
  release(entry: ScoreEntry): void {
    if (entry.failure === undefined) this.#forget(entry);
    else this.#move(entry, "deferred");
  }

  /** The attempt has failed; the next one follows a pass that lists the score when that is due. */
  defer(entry: ScoreEntry, failure: Failure, isRefused: boolean): void {
    this.#move(entry, "deferred");
    entry.failure = failure;
    entry.isRefused ||= isRefused;
  }

  /** The score has an outcome, which is to be acknowledged. */
  decide(entry: ScoreEntry): void {
    this.#move(entry, "decided");
  }

  /** The service refuses the acknowledgement of this score. */
  refuseAck(id: string): void {
    this.#entries.get(id)!.isAckRefused = true;
  }

  /** The outcome is confirmed. */
  settle(id: string): void {
    this.#forget(this.#entries.get(id)!);
    this.#settled.add(id);
  }

  /** No page is under way that was asked for before these scores were settled. */
  forgetSettled(): void {
    this.#settled.clear();
  }

  #forget(entry: ScoreEntry): void {
    this.#in[entry.state].delete(entry);
    this.#entries.delete(entry.id);
  }

  #move(entry: ScoreEntry, to: ScoreState, score?: PendingScore): void {
    this.#in[entry.state].delete(entry);
    entry.state = to;
    entry.score = score;
    this.#in[to].add(entry);
  }
}
