import { createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { importedPrefix } from "@afterword/protocol";
import { type ProjectRecord } from "../store/project.ts";

/** HMAC-SHA-256: 32 bytes. */
export function keyedHash(key: KeyObject, data: string | Uint8Array): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

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

  /** Keys the hashes of respondents and e-mail addresses. An account purge destroys its salt. */
  pepper({ id, pepperSalt }: Pick<ProjectRecord, "id" | "pepperSalt">): KeyObject {
    return this.#derive(`pepper/${id}`, pepperSalt);
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

/** 128 bits of the HMAC: far more respondents than any project has, in half the bytes of every row. */
const hashLength = 16;

/** Suppression is kept under this hash, which cannot be matched with ids without the master key (decision D79). */
export function respondentHash(pepper: KeyObject, respondentId: string): Uint8Array {
  return keyedHash(pepper, `respondent/${respondentId}`).subarray(0, hashLength);
}

/**
 * What a respondent's run is kept under: the session, with the observation where there is one. Runs of two people in one
 * session cannot be matched.
 */
export function runHash(
  pepper: KeyObject,
  respondentId: string,
  { sessionId, observationId }: { sessionId: string; observationId?: string },
): Uint8Array {
  const run = JSON.stringify([respondentId, sessionId, observationId]);
  return keyedHash(pepper, `run/${run}`).subarray(0, hashLength);
}

const base32Alphabet = "abcdefghijklmnopqrstuvwxyz234567";

function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => base32Alphabet[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

/** The respondent id of an imported person. Dots and plus signs are kept: they tell people apart (decision D80). */
export function importedRespondentId(pepper: KeyObject, email: string): string {
  const canonical = email.trim().toLowerCase().normalize("NFC");
  return importedPrefix + base32(keyedHash(pepper, `email/${canonical}`));
}
