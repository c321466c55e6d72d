import { hash } from "node:crypto";

const shardCount = 64;
/** Small steps and full tables: a lookup probes a few more slots, which costs little beside a write to the disk. */
const growthFactor = 1.25;
const fullest = 0.8;
/** A key of 128 bits in numbers of 32 bits: big integers would be garbage for each lookup. */
const wordsPerKey = 4;

/**
 * A set of ids that keeps 128 bits of each id's SHA-256: a million ids take at most 25 MB, and no two of them share
 * those bits. `digestOf` computes the hash.
 */
export class SeenIds {
  /** Many small tables that grow one at a time: one large table would need half as much again while it is copied. */
  readonly #shards = Array.from({ length: shardCount }, () => new Shard());
  readonly #digestOf: (id: string) => Buffer;

  constructor(digestOf = (id: string) => hash("sha256", id, "buffer")) {
    this.#digestOf = digestOf;
  }

  get size(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.size, 0);
  }

  has(id: string): boolean {
    const key = this.#keyOf(id);
    return this.#shards[key[0]! % shardCount]!.has(key);
  }

  add(id: string): void {
    const key = this.#keyOf(id);
    this.#shards[key[0]! % shardCount]!.add(key);
  }

  #keyOf(id: string): Uint32Array {
    const key = new Uint32Array(Uint8Array.from(this.#digestOf(id)).buffer, 0, wordsPerKey);
    // A first word of zero marks a free slot.
    key[0] ||= 1;
    return key;
  }
}

class Shard {
  #slots = new Uint32Array(wordsPerKey * 64);
  size = 0;

  has(key: Uint32Array): boolean {
    return this.#slots[slotOf(this.#slots, key)] !== 0;
  }

  add(key: Uint32Array): void {
    const slot = slotOf(this.#slots, key);
    if (this.#slots[slot] !== 0) return;
    this.#slots.set(key, slot);
    this.size += 1;
    if (this.size > (this.#slots.length / wordsPerKey) * fullest) this.#grow();
  }

  #grow(): void {
    const smaller = this.#slots;
    this.#slots = new Uint32Array(wordsPerKey * Math.ceil((smaller.length / wordsPerKey) * growthFactor));
    for (let slot = 0; slot < smaller.length; slot += wordsPerKey) {
      const key = smaller.subarray(slot, slot + wordsPerKey);
      if (key[0] !== 0) this.#slots.set(key, slotOf(this.#slots, key));
    }
    // Frees the memory at once; the garbage collector sees only a small object and takes its time.
    smaller.buffer.transfer(0);
  }
}

/** The index of a key's slot, or of the free slot where it belongs. */
function slotOf(slots: Uint32Array, key: Uint32Array): number {
  let slot = (key[1]! % (slots.length / wordsPerKey)) * wordsPerKey;
  while (slots[slot] !== 0 && !holds(slots, slot, key)) slot = (slot + wordsPerKey) % slots.length;
  return slot;
}

function holds(slots: Uint32Array, slot: number, key: Uint32Array): boolean {
  for (let word = 0; word < wordsPerKey; word += 1) if (slots[slot + word] !== key[word]) return false;
  return true;
}
