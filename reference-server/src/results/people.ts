/** As many slots as people, at most, in so many. */
const mostFilled = 0.5;

/**
 * Gives each person a number, in the order in which they are met. It keeps a hash of 53 bits (cyrb53, bryc 2018) in place
 * of the id, since a million texts would take more memory than everything else; of a million people two share a hash
 * with a probability of 1 in 18,000, and then count as one.
 */
export class People {
  #hashes = new Float64Array(1024);
  #numbers = new Int32Array(1024);
  size = 0;

  numberOf(id: string): number {
    // No hash is 0, which is an empty slot.
    const hash = hashOf(id) || 1;
    const slot = this.#slotOf(hash);
    if (this.#hashes[slot] === hash) return this.#numbers[slot]!;
    this.#hashes[slot] = hash;
    this.#numbers[slot] = this.size++;
    if (this.size > mostFilled * this.#hashes.length) this.#grow();
    return this.size - 1;
  }

  /** Of the hash, or the empty one where it belongs. */
  #slotOf(hash: number): number {
    const last = this.#hashes.length - 1;
    let slot = hash % this.#hashes.length;
    while (this.#hashes[slot] !== 0 && this.#hashes[slot] !== hash) slot = slot === last ? 0 : slot + 1;
    return slot;
  }

  #grow(): void {
    const [hashes, numbers] = [this.#hashes, this.#numbers];
    this.#hashes = new Float64Array(2 * hashes.length);
    this.#numbers = new Int32Array(2 * hashes.length);
    for (const [index, hash] of hashes.entries()) {
      if (hash === 0) continue;
      const slot = this.#slotOf(hash);
      this.#hashes[slot] = hash;
      this.#numbers[slot] = numbers[index]!;
    }
  }
}

function hashOf(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
