/**
 * Gives each person a number, in the order in which they are met. It keeps a hash of 53 bits (cyrb53, bryc 2018) in place
 * of the id, since a million texts would take more memory than everything else; of a million people two share a hash
 * with a probability of 1 in 18,000, and then count as one.
 */
export class People {
  readonly #numbers = new Map<number, number>();

  get size(): number {
    return this.#numbers.size;
  }

  numberOf(id: string): number {
    const hash = hashOf(id);
    const known = this.#numbers.get(hash);
    if (known !== undefined) return known;
    this.#numbers.set(hash, this.size);
    return this.size - 1;
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
