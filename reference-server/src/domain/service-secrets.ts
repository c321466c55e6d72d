import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { keyedHash } from "./keyed-hash.ts";

/** Derived keys that are remembered. Forgetting one costs the time of deriving it again. */
const mostRemembered = 10_000;

/** The keys of the service itself, derived from one master key of 32 bytes by HKDF-SHA-256 (decision D116). */
export class ServiceSecrets {
  readonly #masterKey: KeyObject;
  readonly #derived = new Map<string, KeyObject>();

  constructor(masterKey: Uint8Array) {
    if (masterKey.length !== 32) throw new RangeError("The master key must have 32 bytes.");
    this.#masterKey = createSecretKey(masterKey);
  }

  /** Encrypts a project's show-tokens of one key id (decision D1). */
  tokenKey(projectId: string, keyId: string): KeyObject {
    return this.#derive(`show-token/${keyId}/${projectId}`);
  }

  /** Authenticates cursors of the score queue; does not rotate with the token keys (decision D84). */
  cursorKey(projectId: string): KeyObject {
    return this.#derive(`score-cursor/${projectId}`);
  }

  /** Keys the hashes of respondents and e-mail addresses. An account purge destroys its salt, given here in hex. */
  pepper(projectId: string, pepperSalt: string): KeyObject {
    return this.#derive(`pepper/${projectId}`, pepperSalt);
  }

  /** Keys the hashes under which nodes share their quotas. */
  quotaKey(): KeyObject {
    return this.#derive("quota");
  }

  /** Tells two master keys apart and reveals nothing else about them. */
  fingerprint(): string {
    return keyedHash(this.#derive("fingerprint"), "afterword").toString("hex", 0, 8);
  }

  #derive(purpose: string, salt = ""): KeyObject {
    const name = `${purpose} ${salt}`;
    const known = this.#derived.get(name);
    if (known) return known;
    if (this.#derived.size >= mostRemembered) this.#derived.clear();
    const bytes = hkdfSync("sha256", this.#masterKey, Buffer.from(salt, "hex"), `afterword/${purpose}`, 32);
    const key = createSecretKey(new Uint8Array(bytes));
    this.#derived.set(name, key);
    return key;
  }
}
