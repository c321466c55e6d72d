import { createHash } from "node:crypto";

/**
 * Remembers ids in 11 to 22 bytes each, where a `Set` takes 86: by 64 bits of a hash, in a table that is at most three
 * quarters full. A new id has the same bits as one of a million others with a probability of 10^-13.
 */
export class IdSet {
  #table = new BigUint64Array(1024);
  #size = 0;

  /** Returns whether the id is new. */
  add(id: string): boolean {
    const hash = hashOf(id);
    const place = this.#placeOf(hash);
    if (this.#table[place] === hash) return false;
    this.#table[place] = hash;
    this.#size += 1;
    if (this.#size < this.#table.length * 0.75) return true;
    const before = this.#table;
    this.#table = new BigUint64Array(before.length * 2);
    for (const known of before) if (known !== 0n) this.#table[this.#placeOf(known)] = known;
    return true;
  }

  /** Where the hash is, or the free place for it. */
  #placeOf(hash: bigint): number {
    const table = this.#table;
    let at = Number(hash % BigInt(table.length));
    while (table[at] !== 0n && table[at] !== hash) at = (at + 1) % table.length;
    return at;
  }
}

/** 0 marks a free place. */
const hashOf = (id: string) => createHash("sha1").update(id).digest().readBigUInt64LE() || 1n;
