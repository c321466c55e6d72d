import { hash } from "node:crypto";

/**
 * A set of ids that only knows whether it has one: 64 bits of SHA-256 each, so that a million ids take 16 MB and not
 * a hundred. Two of a million different ids are taken for one with a chance of about 1 to 40 million.
 */
export class SeenIds {
  #slots = new BigUint64Array(1 << 12);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(id: string): boolean {
    const key = keyOf(id);
    return this.#slots[slotOf(this.#slots, key)] === key;
  }

  add(id: string): void {
    const key = keyOf(id);
    const slot = slotOf(this.#slots, key);
    if (this.#slots[slot] === key) return;
    this.#slots[slot] = key;
    this.#size += 1;
    if (this.#size > this.#slots.length * 0.7) this.#grow();
  }

  #grow(): void {
    const larger = new BigUint64Array(this.#slots.length * 2);
    for (const key of this.#slots) if (key !== 0n) larger[slotOf(larger, key)] = key;
    this.#slots = larger;
  }
}

/** The place of a key, or the free one where it belongs. Zero marks a free slot. */
function slotOf(slots: BigUint64Array, key: bigint): number {
  const mask = slots.length - 1;
  let slot = Number(key & 0x1f_ff_ff_ff_ff_ffn) % slots.length;
  while (slots[slot] !== 0n && slots[slot] !== key) slot = (slot + 1) & mask;
  return slot;
}

const keyOf = (id: string) => hash("sha256", id, "buffer").readBigUInt64LE(0) || 1n;
