/** Why a row waits, and until when. */
export interface Wait {
  reason: string;
  notBefore: number;
  /** Whether the sink refused it with a `fatal` outcome. */
  isRefusal: boolean;
}

interface Deferral extends Wait {
  attempts: number;
  /** When it was first deferred for this reason. */
  since: number;
  /** The last walk over the queue that listed it. */
  walk: number;
}

/** Most rows that are deferred at once, about 10 MB; while there are as many, no other rows are pushed. */
export const mostDeferred = 50_000;
const mostReasons = 1000;
/** Settled ids are kept in two generations of this size, the older of which is dropped as a whole. */
const generationSize = 5000;

/**
 * What a forwarder knows about rows that the queue may list again. A busy row must not be pushed twice at once, a
 * delivered row not again after a lost acknowledgement, and a deferred row not before it is due.
 */
export class RowMemory {
  readonly #busy = new Set<string>();
  readonly #deferred = new Map<string, Deferral>();
  readonly #reasons = new Map<string, string>();
  #settled = new Set<string>();
  #settledBefore = new Set<string>();
  #walk = 0;
  /** Whether to forget no settled id: a walk that includes failed rows lists them even after they are acknowledged. */
  keepsSettled = false;

  get nextWalk(): number {
    return this.#walk + 1;
  }

  /** A new run tries refused rows at once, since the key may have been changed. */
  forgetRefusals(): void {
    for (const [id, { isRefusal }] of this.#deferred) if (isRefusal) this.#deferred.delete(id);
  }

  beginWalk(): void {
    this.#walk += 1;
  }

  /** The walk has reached the end: deferred rows that it did not list were delivered by another forwarder, or erased. */
  endWalk(): void {
    for (const [id, { walk }] of this.#deferred) {
      if (walk < this.#walk && !this.#busy.has(id)) this.#deferred.delete(id);
    }
  }

  /** Whether this row, which the walk lists, may be pushed now. */
  isFree(id: string, now: number): boolean {
    const deferral = this.#deferred.get(id);
    if (deferral) deferral.walk = this.#walk;
    if (this.#busy.has(id) || this.isSettled(id)) return false;
    return deferral ? deferral.notBefore <= now : !this.isFull;
  }

  /** Whether as many rows are deferred as allowed: unknown rows wait until one of them is settled. */
  get isFull(): boolean {
    return this.#deferred.size >= mostDeferred;
  }

  knows(id: string): boolean {
    return this.#busy.has(id) || this.#deferred.has(id) || this.isSettled(id);
  }

  /** Whether the service has recently confirmed the outcome of this row. */
  isSettled(id: string): boolean {
    return this.#settled.has(id) || this.#settledBefore.has(id);
  }

  wasRefused(id: string): boolean {
    return this.#deferred.get(id)?.isRefusal ?? false;
  }

  attemptsOf(id: string): number {
    return this.#deferred.get(id)?.attempts ?? 0;
  }

  /** Marks a row as busy: from being taken to its confirmed acknowledgement. */
  hold(id: string): void {
    this.#busy.add(id);
  }

  /** Its acknowledgement is confirmed; a page fetched before may still list it. */
  settle(id: string): void {
    this.#busy.delete(id);
    this.#deferred.delete(id);
    this.#settled.add(id);
    if (this.keepsSettled || this.#settled.size < generationSize) return;
    this.#settledBefore = this.#settled;
    this.#settled = new Set();
  }

  /** Defers a row whose push has failed; it stays busy until it is released. Returns how often that has happened. */
  defer(id: string, wait: Wait, now: number): number {
    const before = this.#deferred.get(id);
    const attempts = (before?.attempts ?? 0) + 1;
    const reason = this.#shared(wait.reason);
    const since = before?.reason === reason ? before.since : now;
    const isRefusal = wait.isRefusal || (before?.isRefusal ?? false);
    this.#deferred.set(id, {
      notBefore: wait.notBefore,
      reason,
      isRefusal,
      attempts,
      since,
      walk: this.#walk,
    });
    return attempts;
  }

  /** The same string for the same reason: tens of thousands of rows may wait for one. */
  #shared(reason: string): string {
    const known = this.#reasons.get(reason);
    if (known !== undefined) return known;
    if (this.#reasons.size >= mostReasons) this.#reasons.clear();
    this.#reasons.set(reason, reason);
    return reason;
  }

  /** The row stays pending; a later page that lists it may push it once it is due. */
  release(id: string): void {
    this.#busy.delete(id);
  }

  get waits(): Iterable<Readonly<Deferral>> {
    return this.#deferred.values();
  }

  get deferredCount(): number {
    return this.#deferred.size;
  }

  /** How many of them were deferred, or listed again, in this walk or a later one. */
  deferredSince(walk: number): number {
    return [...this.#deferred.values()].filter((deferral) => deferral.walk >= walk).length;
  }
}
