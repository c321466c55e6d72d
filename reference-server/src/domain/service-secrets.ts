import { createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";

/** Everything secret that the service itself needs, derived from one master key of 32 bytes (decision D116). */
export class ServiceSecrets {
  readonly #masterKey: Uint8Array;
  readonly #derived = new Map<string, KeyObject>();

  constructor(masterKey: Uint8Array) {
    if (masterKey.length !== 32) throw new RangeError("The master key must have 32 bytes.");
    this.#masterKey = masterKey;
  }

  /** The key that seals a project's show-tokens of one key id. */
  tokenKey(projectId: string, keyId: string): KeyObject {
    return this.#derive(`show-token/${keyId}/${projectId}`);
  }

  /** Authenticates cursors of the score queue; does not rotate with the token keys (decision D84). */
  cursorKey(projectId: string): KeyObject {
    return this.#derive(`score-cursor/${projectId}`);
  }

  /** Keys the hashes of respondents and e-mail addresses; gone with its salt at an account purge. */
  pepper(projectId: string, pepperSalt: string): KeyObject {
    return this.#derive(`pepper/${projectId}`, pepperSalt);
  }

  /** Tells two master keys apart without telling anything about them. */
  fingerprint(): string {
    return createHmac("sha256", this.#derive("fingerprint")).update("afterword").digest("hex").slice(0, 16);
  }

  #derive(purpose: string, salt = ""): KeyObject {
    const name = `${salt}/${purpose}`;
    const known = this.#derived.get(name);
    if (known) return known;
    // Bounded, since key ids come and go; nothing is lost but the time of a derivation.
    if (this.#derived.size >= 10_000) this.#derived.clear();
    const bytes = hkdfSync("sha256", this.#masterKey, Buffer.from(salt, "hex"), `afterword/${purpose}`, 32);
    const key = createSecretKey(new Uint8Array(bytes));
    this.#derived.set(name, key);
    return key;
  }
}
