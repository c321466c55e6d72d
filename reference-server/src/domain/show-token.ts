import { createCipheriv, createDecipheriv } from "node:crypto";
import { RandomPool } from "./random-pool.ts";
import { Refusal } from "./refusal.ts";
import { type ServiceSecrets } from "./service-secrets.ts";
import {
  payloadPacker,
  randomLength,
  tokenIdBoundary,
  unpackPayload,
  type IssuePayload,
  type TokenPayload,
} from "./token-payload.ts";

const cipher = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;
const minute = 60_000;
/** Nodes' clocks differ a little (decision D2). */
const leewayInMs = minute;
const futureInMs = 5 * minute;

/** A new signing key each 30 days; no token outlives that, so the newest two verify everything (decision D3). */
const keyPeriodInMs = 30 * 24 * 60 * minute;

/** The longest lifetime a config may set. */
export const longestLifetimeInMs = keyPeriodInMs;

const keyIdAt = (now: number) => Math.floor(now / keyPeriodInMs).toString(36);

/** Whether a key id is in use now; any other is refused before a key is derived for it. */
function isCurrentKeyId(keyId: string, now: number): boolean {
  return (
    keyId === keyIdAt(now) || keyId === keyIdAt(now - keyPeriodInMs) || keyId === keyIdAt(now + futureInMs)
  );
}

const invalid = () =>
  new Refusal("token_invalid", { detail: "Fetch a new show-token and use it unchanged." });

/** Seals and opens show-tokens: `st1.` or, bound to a session, `st2.`, a key id, and an encrypted payload. */
export class ShowTokens {
  readonly #secrets: ServiceSecrets;
  readonly #random: RandomPool;
  readonly #prefixes = new Map<string, Buffer>();

  constructor(secrets: ServiceSecrets, random = new RandomPool()) {
    this.#secrets = secrets;
    this.#random = random;
  }

  /**
   * Seals tokens that differ in their survey alone. Writes nothing anywhere: a token becomes a row only when it is
   * spent (decision D1).
   */
  sealer(projectId: string, issue: IssuePayload): (surveyId: string) => string {
    const keyId = keyIdAt(issue.issuedAt);
    const key = this.#secrets.tokenKey(projectId, keyId);
    const prefix = `${issue.sessionId === undefined ? "st1" : "st2"}.${keyId}.`;
    const associated = this.#associated(prefix);
    const pack = payloadPacker(issue);
    return (surveyId) => {
      const nonce = this.#random.take(nonceLength);
      const sealing = createCipheriv(cipher, key, nonce);
      sealing.setAAD(associated);
      const sealed = sealing.update(pack(surveyId, this.#random.take(randomLength)));
      sealing.final();
      return prefix + Buffer.concat([nonce, sealed, sealing.getAuthTag()]).toString("base64url");
    };
  }

  /** Two kinds of token and a key id a month: there are never many. */
  #associated(prefix: string): Buffer {
    const known = this.#prefixes.get(prefix);
    if (known) return known;
    const bytes = Buffer.from(prefix, "latin1");
    this.#prefixes.set(prefix, bytes);
    return bytes;
  }

  /** @throws Refusal `token_invalid` or `token_expired`, both 401, whatever the input. */
  open(projectId: string, token: string, now: number): TokenPayload {
    const payload = unpackPayload(this.#decrypt(projectId, token, now));
    if (payload.issuedAt > now + futureInMs) throw invalid();
    if (now > payload.issuedAt + payload.lifetimeInSeconds * 1000 + leewayInMs) {
      throw new Refusal("token_expired", { detail: "Fetch a new show-token." });
    }
    return payload;
  }

  #decrypt(projectId: string, token: string, now: number): Buffer {
    const [kind, keyId = "", encoded = "", ...rest] = token.split(".", 4);
    if ((kind !== "st1" && kind !== "st2") || rest.length > 0 || !isCurrentKeyId(keyId, now)) throw invalid();
    const bytes = Buffer.from(encoded, "base64url");
    // Several texts decode to the same bytes; only one of them is the token.
    if (bytes.length <= nonceLength + tagLength || bytes.toString("base64url") !== encoded) throw invalid();
    const key = this.#secrets.tokenKey(projectId, keyId);
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceLength));
    opening.setAAD(this.#associated(`${kind}.${keyId}.`));
    opening.setAuthTag(bytes.subarray(-tagLength));
    const plain = opening.update(bytes.subarray(nonceLength, -tagLength));
    try {
      opening.final();
    } catch {
      throw invalid();
    }
    return plain;
  }
}

/** Smaller ids are of spent tokens that the ledger may forget: never before `open` refuses them for their age. */
export function forgettableBefore(now: number): Uint8Array {
  return tokenIdBoundary(now - 2 * leewayInMs);
}
