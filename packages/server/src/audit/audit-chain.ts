import { randomBytes } from "node:crypto";

/** The part of a master key that signs: see `MasterKey`. */
export interface ChainKey {
  readonly id: string;
  /** HMAC-SHA-256 of a text under a key that is derived for this purpose, in base64url. */
  authenticate(purpose: string, text: string): string;
}

/** The last field of a chained line. */
export interface ChainLink {
  /** The id of the process that wrote the line. */
  id: string;
  /** Its place in the chain, from 1. */
  sequence: number;
  /** Id of the master key. */
  key: string;
  /** `mac` of the line before; empty in the first one. */
  previous: string;
  mac: string;
}

/** The keyed hash of a line, which has everything but `chain.mac`. */
export const macOf = (key: ChainKey, line: object): string => key.authenticate("audit", JSON.stringify(line));

/** The first 48 bits of a keyed hash: a metric's value, a floating-point number, holds so many exactly. */
export const headOf = (mac: string): number =>
  mac === "" ? 0 : Buffer.from(mac, "base64url").readUIntBE(0, 6);

/**
 * Chains the audit lines of one process: each has its number, the hash of the line before, and a keyed hash of all that. Who
 * does not have the master key cannot change, move or remove a line unnoticed, except at the end: `length` shows that.
 */
export class AuditChain {
  readonly #id = randomBytes(8).toString("hex");
  #key: ChainKey | undefined;
  #sequence = 0;
  #previous = "";

  get id(): string {
    return this.#id;
  }

  /** Lines that are kept. */
  get length(): number {
    return this.#sequence;
  }

  /** A number from the hash of the last line, which depends on all lines before. */
  get head(): number {
    return headOf(this.#previous);
  }

  /** Signs with this key from now on. A process stays with the first one; verifying it later needs that key. */
  use(key: ChainKey): void {
    this.#key ??= key;
  }

  /** A line with its link; before there is a key, the line as it is. */
  linked<Line extends object>(line: Line): Line & { chain?: ChainLink } {
    if (!this.#key) return line;
    const place = { id: this.#id, sequence: this.#sequence + 1, key: this.#key.id, previous: this.#previous };
    const mac = macOf(this.#key, { ...line, chain: place });
    return { ...line, chain: { ...place, mac } };
  }

  /** Goes on behind a line. One that could not be written is not counted, and the next one takes its place. */
  advance({ chain }: { chain?: ChainLink }): void {
    if (!chain) return;
    this.#sequence = chain.sequence;
    this.#previous = chain.mac;
  }
}
