import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from "node:crypto";
import { type MasterKeyRecord, type ProjectRecord, type Store, StoreUnavailable } from "../store/store.ts";
import { type Clock } from "./clock.ts";
import { keyedHash } from "./respondent-hash.ts";
import { UsageError } from "./usage-error.ts";

export const masterKeyLength = 32;

/** NIST SP 800-38D, 5.2.1 and 8.2: a random nonce of 96 bits and a tag of 128. */
const cipherName = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/** Derived keys that are remembered. Forgetting one costs the time of deriving it again. */
const mostRemembered = 10_000;

/** A master key of 32 bytes. Other keys derive from it by HKDF-SHA-256 or are sealed by it. */
export class MasterKey {
  /** Identifies a master key and reveals nothing else about them. */
  readonly id: string;
  readonly #key: KeyObject;
  readonly #derived = new Map<string, KeyObject>();

  static random(): MasterKey {
    return new MasterKey(randomBytes(masterKeyLength));
  }

  constructor(bytes: Uint8Array) {
    if (bytes.length !== masterKeyLength) throw new RangeError("The master key must have 32 bytes.");
    this.#key = createSecretKey(bytes);
    this.id = keyedHash(this.#derive("fingerprint"), "afterword").toString("hex", 0, 8);
  }

  /** The key itself, as key files and PostgreSQL databases keep it. */
  get hex(): string {
    return this.#key.export().toString("hex");
  }

  /**
   * Encrypts a text with AES-256-GCM and a key for this purpose.
   * @param header authenticated with it, and not part of the result
   * @returns nonce, encrypted text and tag in base64url
   */
  seal(purpose: string, header: string, text: string): string {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv(cipherName, this.#derive(purpose), nonce).setAAD(Buffer.from(header));
    const parts = [nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(parts).toString("base64url");
  }

  /** @throws Error for anything but what `seal` returned for this purpose and header */
  unseal(purpose: string, header: string, sealed: string): string {
    const bytes = Buffer.from(sealed, "base64url");
    // Base64 can spell the same bytes in several ways; only one of them is genuine.
    const isCanonical = bytes.toString("base64url") === sealed;
    if (!isCanonical || bytes.length < nonceLength + tagLength) throw new RangeError("Not a sealed text.");
    const nonce = bytes.subarray(0, nonceLength);
    const decipher = createDecipheriv(cipherName, this.#derive(purpose), nonce, { authTagLength: tagLength })
      .setAAD(Buffer.from(header))
      .setAuthTag(bytes.subarray(-tagLength));
    const text = decipher.update(bytes.subarray(nonceLength, -tagLength));
    return Buffer.concat([text, decipher.final()]).toString();
  }

  /** HMAC-SHA-256 of a text under a key for this purpose, in base64url. */
  authenticate(purpose: string, text: string): string {
    return keyedHash(this.#derive(purpose), text).toString("base64url");
  }

  #derive(purpose: string): KeyObject {
    const known = this.#derived.get(purpose);
    if (known) return known;
    if (this.#derived.size >= mostRemembered) this.#derived.clear();
    const bytes = hkdfSync("sha256", this.#key, "", `afterword/${purpose}`, 32);
    const key = createSecretKey(new Uint8Array(bytes));
    this.#derived.set(purpose, key);
    return key;
  }
}

/** The keys of one project that outlive a rotation of the master key. */
export interface ProjectSecrets {
  /** Keys the hashes of respondents and e-mail addresses. An account purge replaces it. */
  readonly pepper: KeyObject;
  /** Authenticates cursors of the score queue. */
  readonly cursorKey: KeyObject;
}

const secretsPurpose = "project-secrets";

const randomKey = () => createSecretKey(randomBytes(32));

export const randomSecrets = (): ProjectSecrets => ({ pepper: randomKey(), cursorKey: randomKey() });

/** Version and master key id, which are authenticated as they stand, and what is sealed. */
const secretsPattern = /^(ps1\.([0-9a-f]{16}))\.([\w-]+)$/;

type Sealed = Pick<ProjectRecord, "id" | "secrets">;

function partsOf({ id, secrets }: Sealed): { header: string; masterKeyId: string; sealed: string } {
  const [, header, masterKeyId, sealed] = secretsPattern.exec(secrets) ?? [];
  if (!header || !masterKeyId || !sealed) throw new Error(`The secrets of the project ${id} are damaged.`);
  return { header, masterKeyId, sealed };
}

/** The id of the master key that sealed a project's secrets. @throws Error when they are damaged */
export const sealedWith = (project: Sealed) => partsOf(project).masterKeyId;

/** The project's id is authenticated too: its secrets cannot stand in the place of another project's. */
const associatedData = (header: string, projectId: string) => `${header}.${projectId}`;

const textOf = (key: KeyObject) => key.export().toString("base64url");
const keyOf = (text: string) => createSecretKey(text, "base64url");

/** Seals them as JSON under AES-256-GCM. */
export function sealSecrets(
  masterKey: MasterKey,
  projectId: string,
  { pepper, cursorKey }: ProjectSecrets,
): string {
  const header = `ps1.${masterKey.id}`;
  const text = JSON.stringify({ pepper: textOf(pepper), cursorKey: textOf(cursorKey) });
  return `${header}.${masterKey.seal(secretsPurpose, associatedData(header, projectId), text)}`;
}

/** @throws Error for anything but what `sealSecrets` returned for this key and project */
export function openSecrets(masterKey: MasterKey, project: Sealed): ProjectSecrets {
  const { header, sealed } = partsOf(project);
  const text = masterKey.unseal(secretsPurpose, associatedData(header, project.id), sealed);
  const { pepper, cursorKey } = JSON.parse(text) as { pepper: string; cursorKey: string };
  return { pepper: keyOf(pepper), cursorKey: keyOf(cursorKey) };
}

/** Reads the master keys that the operator has given. A new database begins with the first one. */
export type MasterKeySource = () => Promise<readonly MasterKey[]>;

/** A new master key seals show-tokens only when every node has had the time to pick it up (decision O123). */
export const pickUpInMs = 60_000;

const wrongKey =
  "This database uses another master key: tokens, suppression and cursors would be invalid. " +
  "Pass its key in AFTERWORD_MASTER_KEY or --key-file, or put the key file back beside the database.";

/** The master keys that the operator has given, and which of them the database says are in use. */
export class MasterKeys {
  readonly #source: MasterKeySource;
  readonly #held = new Map<string, MasterKey>();
  #records: readonly MasterKeyRecord[] = [];
  #unread: unknown;

  private constructor(source: MasterKeySource) {
    this.#source = source;
  }

  /** Ties a new database to the first key. @throws UsageError when the database uses a key that was not given */
  static async open(store: Store, source: MasterKeySource, clock: Clock): Promise<MasterKeys> {
    const keys = new MasterKeys(source);
    const [first] = await keys.#read();
    if (first && (await store.masterKeys()).length === 0) {
      const masterKeys = [{ id: first.id, since: clock.now() }];
      await store.changeDirectory((_, records) => (records.length > 0 ? {} : { masterKeys }));
    }
    await keys.follow(await store.masterKeys());
    if (keys.problem) throw new UsageError(wrongKey);
    return keys;
  }

  /** The keys that the database has been used with, the current one first. */
  get records(): readonly MasterKeyRecord[] {
    return this.#records;
  }

  /** The given keys that the database was never used with. */
  get unused(): MasterKey[] {
    return [...this.#held.values()].filter((key) => this.#records.every(({ id }) => id !== key.id));
  }

  /** The key of this moment. @throws StoreUnavailable when this process does not have it */
  get current(): MasterKey {
    if (this.problem) throw this.problem;
    return this.#held.get(this.#records[0]!.id)!;
  }

  /** The replaced key whose show-tokens are still valid. */
  previous(now: number): MasterKeyRecord | undefined {
    return this.#records.find(({ validUntil }) => validUntil !== undefined && validUntil > now);
  }

  isHeld(id: string): boolean {
    return this.#held.has(id);
  }

  /** Why this process must get the new key; `undefined` while it has the current one. */
  get problem(): StoreUnavailable | undefined {
    const id = this.#records[0]?.id ?? "";
    if (this.#held.has(id)) return undefined;
    const reason = `the master key was rotated to ${id}, which this process does not have: give it the new key and restart it`;
    return new StoreUnavailable(reason, { cause: this.#unread });
  }

  /** Takes over what the database says, and reads the given keys again when the current one is not among those known. */
  async follow(records: readonly MasterKeyRecord[]): Promise<void> {
    this.#records = records;
    this.#unread = undefined;
    // While they cannot be read, the problem stays, and says why.
    if (this.problem) await this.#read().catch((error: unknown) => void (this.#unread = error));
  }

  /** The key that seals show-tokens. */
  sealing(now: number): MasterKey {
    const usable = this.#usable(now);
    const isPickedUp = ({ since }: MasterKeyRecord) => since + pickUpInMs <= now;
    const chosen = usable.find(isPickedUp) ?? usable.at(-1);
    if (!chosen) throw this.problem!;
    return this.#held.get(chosen.id)!;
  }

  /** The keys that open show-tokens, the current one first. */
  opening(now: number): MasterKey[] {
    return this.#usable(now).map(({ id }) => this.#held.get(id)!);
  }

  /** @throws StoreUnavailable when this process does not have the key that sealed them */
  secretsOf(project: Pick<ProjectRecord, "id" | "secrets">): ProjectSecrets {
    const id = sealedWith(project);
    const key = this.#held.get(id);
    if (key) return openSecrets(key, project);
    throw (
      this.problem ??
      new StoreUnavailable(`the master key ${id} is missing, which sealed the secrets of ${project.id}`)
    );
  }

  /** Seals a project's secrets with the current key. */
  seal(projectId: string, secrets: ProjectSecrets): string {
    return sealSecrets(this.current, projectId, secrets);
  }

  /** The projects whose secrets another key has sealed, with secrets sealed by `key`. */
  resealed<T extends ProjectRecord>(projects: readonly T[], key: MasterKey): T[] {
    return projects
      .filter((project) => sealedWith(project) !== key.id)
      .map((project) => ({ ...project, secrets: sealSecrets(key, project.id, this.secretsOf(project)) }));
  }

  /** Seals anew what another process has sealed with the previous key while a rotation was under way. */
  async sealAll(store: Store): Promise<void> {
    await store.changeDirectory((projects, [current]) => {
      const key = current && this.#held.get(current.id);
      return key ? { projects: this.resealed(projects, key) } : {};
    });
  }

  #usable(now: number): MasterKeyRecord[] {
    return this.#records.filter(
      ({ id, validUntil }) => this.#held.has(id) && (validUntil === undefined || validUntil > now),
    );
  }

  /** Keeps the keys that were known earlier. */
  async #read(): Promise<readonly MasterKey[]> {
    const keys = await this.#source();
    for (const key of keys) if (!this.#held.has(key.id)) this.#held.set(key.id, key);
    return keys;
  }
}
