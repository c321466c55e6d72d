/** Why a row waits, and until when. */
export interface Wait {
  reason: string;
  notBefore: number;
  /** Whether the sink has refused it as it would if it refused everything. */
  isRefusal: boolean;
}

interface Deferral extends Wait {
  attempts: number;
  /** When it was put off for this reason first. */
  since: number;
  /** The last walk over the queue that listed it. */
  walk: number;
}

/** Most rows that are put off at once, some 10 MB; while there are so many, no others are pushed. */
export const mostDeferred = 50_000;
const mostReasons = 1000;
/** Settled ids are kept in two generations of this size, the older of which is dropped as a whole. */
const generationSize = 5000;

/**
 * What a run knows about rows that the queue may list again: a row under way must not be pushed beside itself, a
 * delivered row not twice although its acknowledgement was lost, and a row that was put off not before its time.
 */
export class RowMemory {
  readonly #busy = new Set<string>();
  readonly #deferred = new Map<string, Deferral>();
  readonly #reasons = new Map<string, string>();
  #settled = new Set<string>();
  #settledBefore = new Set<string>();
  #walk = 0;
  /** Whether no settled id is forgotten: a walk that also lists failed rows lists them whatever was acknowledged. */
  keepsSettled = false;

  /** The number of the walk that will be begun next. */
  get nextWalk(): number {
    return this.#walk + 1;
  }

  /** Rows that were refused are tried at once in a new run: the key may have been changed. */
  forgetRefusals(): void {
    for (const [id, { isRefusal }] of this.#deferred) if (isRefusal) this.#deferred.delete(id);
  }

  /** A walk begins at the head of the queue. */
  beginWalk(): void {
    this.#walk += 1;
  }

  /** The walk has come to the end: a row that was put off and not listed is delivered by others, or erased. */
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

  /** Whether as many rows are put off as may be: what is not known must wait until one of them has an end. */
  get isFull(): boolean {
    return this.#deferred.size >= mostDeferred;
  }

  /** Whether anything is known about this row. */
  knows(id: string): boolean {
    return this.#busy.has(id) || this.#deferred.has(id) || this.isSettled(id);
  }

  /** Whether the end of this row was confirmed lately. */
  isSettled(id: string): boolean {
    return this.#settled.has(id) || this.#settledBefore.has(id);
  }

  /** Whether this row was refused before. */
  wasRefused(id: string): boolean {
    return this.#deferred.get(id)?.isRefusal ?? false;
  }

  /** How often this row was pushed in vain. */
  attemptsOf(id: string): number {
    return this.#deferred.get(id)?.attempts ?? 0;
  }

  /** The row is under way: from the push to the confirmed acknowledgement. */
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

  /** It was pushed in vain; it stays under way until it is released. Returns how often that has happened. */
  failed(id: string, wait: Wait, now: number): number {
    const before = this.#deferred.get(id);
    const attempts = (before?.attempts ?? 0) + 1;
    const reason = this.#shared(wait.reason);
    const since = before?.reason === reason ? before.since : now;
    const isRefusal = wait.isRefusal || (before?.isRefusal ?? false);
    this.#deferred.set(id, {
      reason,
      notBefore: wait.notBefore,
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

  /** It stays pending; a later page that lists it may push it, once its time has come. */
  release(id: string): void {
    this.#busy.delete(id);
  }

  /** The rows that wait for another attempt. */
  get waits(): Iterable<Readonly<Deferral>> {
    return this.#deferred.values();
  }

  /** How many rows wait for another attempt. */
  get deferredCount(): number {
    return this.#deferred.size;
  }

  /** How many of them were put off, or listed again, in this walk or a later one. */
  deferredSince(walk: number): number {
    return [...this.#deferred.values()].filter((deferral) => deferral.walk >= walk).length;
  }
}
