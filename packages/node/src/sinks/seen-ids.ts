import { hash } from "node:crypto";

/**
 * A set of ids that only knows whether it has one: 64 bits of SHA-256 each, so that a million ids take 16 MB and not
 * a hundred. Two of a million different ids are taken for one with a chance of about 1 to 40 million.
 */
export class SeenIds {
  /** Two numbers of 32 bits for each slot: big integers would be garbage for each look. */
  #slots = new Uint32Array(2 << 12);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(id: string): boolean {
    const [high, low] = keyOf(id);
    return this.#slots[slotOf(this.#slots, high, low)] !== 0;
  }

  add(id: string): void {
    const [high, low] = keyOf(id);
    if (!put(this.#slots, high, low)) return;
    this.#size += 1;
    if (this.#size > this.#slots.length * 0.35) this.#grow();
  }

  #grow(): void {
    const larger = new Uint32Array(this.#slots.length * 2);
    for (let slot = 0; slot < this.#slots.length; slot += 2) {
      const high = this.#slots[slot]!;
      if (high !== 0) put(larger, high, this.#slots[slot + 1]!);
    }
    this.#slots = larger;
  }
}

/** `false` when it was there already. */
function put(slots: Uint32Array, high: number, low: number): boolean {
  const slot = slotOf(slots, high, low);
  if (slots[slot] !== 0) return false;
  slots[slot] = high;
  slots[slot + 1] = low;
  return true;
}

/** The place of a key, or the free one where it belongs. A first number of zero marks a free slot. */
function slotOf(slots: Uint32Array, high: number, low: number): number {
  const mask = slots.length - 1;
  let slot = (low * 2) & mask;
  while (slots[slot] !== 0 && (slots[slot] !== high || slots[slot + 1] !== low)) slot = (slot + 2) & mask;
  return slot;
}

function keyOf(id: string): [high: number, low: number] {
  const digest = hash("sha256", id, "buffer");
  return [digest.readUInt32LE(0) || 1, digest.readUInt32LE(4)];
}
