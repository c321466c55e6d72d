import { createCipheriv, type Cipheriv } from "node:crypto";

/** Of AES, in bytes. */
export const blockLength = 16;
/** What a counter begins with; its last four bytes count blocks. */
export const nonceLength = 12;
/** Where counters are written, for all keys: nobody else runs in between. Enough for the tokens of nearly every reply. */
const usualCounters = Buffer.alloc(4096);

/** Writes the counters of a stretch of blocks, one after the other. */
function writeCounters(target: Uint8Array, nonce: Uint8Array, firstBlock: number): void {
  for (let at = 0, block = firstBlock; at < target.length; at += blockLength, block++) {
    for (let index = 0; index < nonceLength; index++) target[at + index] = nonce[index]!;
    target[at + 12] = block >>> 24;
    target[at + 13] = block >>> 16;
    target[at + 14] = block >>> 8;
    target[at + 15] = block;
  }
}

/**
 * AES-256 in counter mode (NIST SP 800-38A, 6.5) under one key: the counters of a text are encrypted block by block, and
 * what comes out hides the text, or shows it again. Node has this mode too, as an object that serves one text, which takes
 * twice as long; this keeps one object that encrypts blocks for the life of the key.
 */
export class CounterMode {
  readonly #blocks: Cipheriv;

  /** @param key 32 bytes */
  constructor(key: Uint8Array) {
    this.#blocks = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  }

  /**
   * The text hidden, or shown again. A nonce and block must never serve two texts, and blocks are counted to 2^32, which is
   * 64 GiB. @param nonce at least 12 bytes
   */
  apply(text: Uint8Array, nonce: Uint8Array, firstBlock = 0): Buffer {
    const length = Math.ceil(text.length / blockLength) * blockLength;
    const counters =
      length <= usualCounters.length ? usualCounters.subarray(0, length) : Buffer.alloc(length);
    writeCounters(counters, nonce, firstBlock);
    const bytes = this.#blocks.update(counters);
    for (let index = 0; index < text.length; index++) bytes[index]! ^= text[index]!;
    return bytes.subarray(0, text.length);
  }
}
