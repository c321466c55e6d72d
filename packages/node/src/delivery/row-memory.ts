interface Deferral {
  attempts: number;
  notBefore: number;
}

/** Most rows that are remembered as put off; older ones may be tried again sooner. */
const mostDeferred = 10_000;
/** Settled ids are kept in two generations of this size, the older of which is dropped as a whole. */
const generationSize = 5000;

/**
 * What a run knows about rows that the queue may list again: a row under way must not be pushed beside itself, a
 * delivered row not twice although its acknowledgement was lost, and a row that was put off not before its time.
 */
export class RowMemory {
  readonly #busy = new Set<string>();
  readonly #deferred = new Map<string, Deferral>();
  #settled = new Set<string>();
  #settledBefore = new Set<string>();

  /** Whether this row may be pushed now. */
  isFree(id: string, now: number): boolean {
    if (this.#busy.has(id) || this.#settled.has(id) || this.#settledBefore.has(id)) return false;
    return (this.#deferred.get(id)?.notBefore ?? 0) <= now;
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
    if (this.#settled.size < generationSize) return;
    this.#settledBefore = this.#settled;
    this.#settled = new Set();
  }

  /** It was pushed in vain; it stays under way until it is released. Returns how often that has happened. */
  failed(id: string, notBefore: number): number {
    const attempts = this.attemptsOf(id) + 1;
    this.#deferred.delete(id);
    this.#deferred.set(id, { attempts, notBefore });
    // Maps keep the order of insertion, so the first key is the oldest.
    const [oldest] = this.#deferred.keys();
    if (this.#deferred.size > mostDeferred && oldest !== undefined) this.#deferred.delete(oldest);
    return attempts;
  }

  /** It stays pending; a later page that lists it may push it, once its time has come. */
  release(id: string): void {
    this.#busy.delete(id);
  }

  /** How many rows wait for another attempt. */
  get deferredCount(): number {
    return this.#deferred.size;
  }
}
