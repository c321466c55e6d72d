import { createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { CounterMode } from "./counter-mode.ts";
import { KeyedHash } from "./keyed-hash.ts";

/** Bounded, since key ids come and go; nothing is lost but the time of a derivation. */
const mostRemembered = 10_000;

/** What was made of keys that were derived, by whose they are and what they are for: requests look here, and join no texts. */
class DerivedKeys<Key> {
  readonly #byOwner = new Map<string, Map<string, Key>>();
  #size = 0;

  get(owner: string, name: string, make: () => Key): Key {
    const known = this.#byOwner.get(owner)?.get(name);
    if (known !== undefined) return known;
    if (this.#size >= mostRemembered) this.#forget();
    const made = make();
    const owned = this.#byOwner.get(owner) ?? new Map<string, Key>();
    this.#byOwner.set(owner, owned.set(name, made));
    this.#size++;
    return made;
  }

  #forget(): void {
    this.#byOwner.clear();
    this.#size = 0;
  }
}

/** What seals show-tokens. */
export interface TokenKeys {
  cipher: CounterMode;
  authenticator: KeyedHash;
}

/** Everything secret that the service itself needs, derived from one master key of 32 bytes (decision D116). */
export class ServiceSecrets {
  readonly #masterKey: Uint8Array;
  readonly #cursorKeys = new DerivedKeys<KeyObject>();
  readonly #tokenKeys = new DerivedKeys<TokenKeys>();
  readonly #peppers = new DerivedKeys<KeyedHash>();

  constructor(masterKey: Uint8Array) {
    if (masterKey.length !== 32) throw new RangeError("The master key must have 32 bytes.");
    this.#masterKey = masterKey;
  }

  /** The keys that seal a project's show-tokens of one key id: one hides them, and another authenticates them. */
  tokenKeys(projectId: string, keyId: string): TokenKeys {
    return this.#tokenKeys.get(projectId, keyId, () => {
      const purpose = `show-token/${keyId}/${projectId}`;
      return {
        cipher: new CounterMode(this.#derive(`cipher/${purpose}`)),
        authenticator: new KeyedHash(this.#derive(`authenticator/${purpose}`)),
      };
    });
  }

  /** Authenticates cursors of the score queue; does not rotate with the token keys (decision D84). */
  cursorKey(projectId: string): KeyObject {
    const purpose = "score-cursor";
    return this.#cursorKeys.get(projectId, purpose, () =>
      createSecretKey(this.#derive(`${purpose}/${projectId}`)),
    );
  }

  /** Keys the hashes of respondents and e-mail addresses; gone with its salt at an account purge. */
  pepper(projectId: string, pepperSalt: string): KeyedHash {
    return this.#peppers.get(
      projectId,
      pepperSalt,
      () => new KeyedHash(this.#derive(`pepper/${projectId}`, pepperSalt)),
    );
  }

  /** Tells two master keys apart without telling anything about them. */
  fingerprint(): string {
    return createHmac("sha256", this.#derive("fingerprint")).update("afterword").digest("hex").slice(0, 16);
  }

  #derive(purpose: string, salt = ""): Uint8Array {
    return new Uint8Array(
      hkdfSync("sha256", this.#masterKey, Buffer.from(salt, "hex"), `afterword/${purpose}`, 32),
    );
  }
}
