import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { keyedHash } from "./respondent-hash.ts";

export const masterKeyLength = 32;

/** Derived keys that are remembered. Forgetting one costs the time of deriving it again. */
const mostRemembered = 10_000;

/** A master key of 32 bytes. Other keys derive from it by HKDF-SHA-256 (decision D116) or are sealed by it (decision O122). */
export class MasterKey {
  /** Tells two master keys apart and reveals nothing else about them. */
  readonly id: string;
  readonly #key: KeyObject;
  readonly #derived = new Map<string, KeyObject>();

  constructor(bytes: Uint8Array) {
    if (bytes.length !== masterKeyLength) throw new RangeError("The master key must have 32 bytes.");
    this.#key = createSecretKey(bytes);
    this.id = keyedHash(this.#derive("fingerprint"), "afterword").toString("hex", 0, 8);
  }

  /** Encrypts a project's show-tokens of one key id (decision D1). */
  tokenKey(projectId: string, keyId: string): KeyObject {
    return this.#derive(`show-token/${keyId}/${projectId}`);
  }

  sealingKey(): KeyObject {
    return this.#derive("project-secrets");
  }

  quotaKey(): KeyObject {
    return this.#derive("quota");
  }

  /** What projects of earlier versions have: a pepper that a salt was derived with, and a cursor key. */
  derivedSecrets(projectId: string, salt: string): { pepper: KeyObject; cursorKey: KeyObject } {
    return {
      pepper: this.#derive(`pepper/${projectId}`, salt),
      cursorKey: this.#derive(`score-cursor/${projectId}`),
    };
  }

  #derive(purpose: string, salt = ""): KeyObject {
    const name = `${purpose} ${salt}`;
    const known = this.#derived.get(name);
    if (known) return known;
    if (this.#derived.size >= mostRemembered) this.#derived.clear();
    const bytes = hkdfSync("sha256", this.#key, Buffer.from(salt, "hex"), `afterword/${purpose}`, 32);
    const key = createSecretKey(new Uint8Array(bytes));
    this.#derived.set(name, key);
    return key;
  }
}
