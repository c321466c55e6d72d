import { hash } from "node:crypto";

const shardCount = 64;
/** Small steps, and full tables: they cost some more looks at slots, which is little beside a line on the disk. */
const growthFactor = 1.25;
const fullest = 0.8;

/**
 * A set of ids that only knows whether it has one: 64 bits of SHA-256 each, so that a million ids take at most 13 MB
 * and not a hundred. Two of a million different ids are taken for one with a chance of about 1 to 40 million.
 */
export class SeenIds {
  /** Many small tables, which grow one at a time: a large one would need half as much again while it is copied. */
  readonly #shards = Array.from({ length: shardCount }, () => new Shard());

  get size(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.size, 0);
  }

  has(id: string): boolean {
    const [high, low] = keyOf(id);
    return this.#shards[high % shardCount]!.has(high, low);
  }

  add(id: string): void {
    const [high, low] = keyOf(id);
    this.#shards[high % shardCount]!.add(high, low);
  }
}

class Shard {
  /** Two numbers of 32 bits for each slot: big integers would be garbage for each look. */
  #slots = new Uint32Array(2 * 64);
  size = 0;

  has(high: number, low: number): boolean {
    return this.#slots[slotOf(this.#slots, high, low)] !== 0;
  }

  add(high: number, low: number): void {
    if (!put(this.#slots, high, low)) return;
    this.size += 1;
    if (this.size > (this.#slots.length / 2) * fullest) this.#grow();
  }

  #grow(): void {
    const smaller = this.#slots;
    this.#slots = new Uint32Array(2 * Math.ceil((smaller.length / 2) * growthFactor));
    for (let slot = 0; slot < smaller.length; slot += 2) {
      const high = smaller[slot]!;
      if (high !== 0) put(this.#slots, high, smaller[slot + 1]!);
    }
    // Gives the memory back at once; the garbage collector sees only a small object and takes its time.
    smaller.buffer.transfer(0);
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
  let slot = (low % (slots.length / 2)) * 2;
  while (slots[slot] !== 0 && (slots[slot] !== high || slots[slot + 1] !== low)) {
    slot = slot + 2 === slots.length ? 0 : slot + 2;
  }
  return slot;
}

function keyOf(id: string): [high: number, low: number] {
  const digest = hash("sha256", id, "buffer");
  return [digest.readUInt32LE(0) || 1, digest.readUInt32LE(4)];
}
