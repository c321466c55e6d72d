import { randomFillSync } from "node:crypto";

const poolLength = 8192;

/** Random bytes drawn in bulk: a call into the operating system per token costs more than sealing it. */
export class RandomPool {
  readonly #fill: (bytes: Buffer) => void;
  #pool = Buffer.alloc(0);
  #given = 0;

  constructor(fill: (bytes: Buffer) => void = randomFillSync) {
    this.#fill = fill;
  }

  /** Bytes that are given out once; at most 8,192. */
  take(length: number): Buffer {
    if (this.#pool.length < this.#given + length) {
      this.#pool = Buffer.allocUnsafeSlow(poolLength);
      this.#fill(this.#pool);
      this.#given = 0;
    }
    const from = this.#given;
    this.#given += length;
    return this.#pool.subarray(from, this.#given);
  }
}
