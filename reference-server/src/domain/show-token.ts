import { isSameDigest } from "./api-key.ts";
import { blockLength, nonceLength } from "./counter-mode.ts";
import { type KeyedHash } from "./keyed-hash.ts";
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

/** Bytes of an HMAC-SHA-256 cut to 128 bits (RFC 4868). */
const macLength = 16;
const macTextLength = 22;
/** Of `st1.` and `st2.`. */
const kindLength = 4;
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

/** Where each of some stretches begins when each begins a block; and after them where the last block ends. */
function blockStarts(lengths: readonly number[]): number[] {
  const starts = [0];
  for (const length of lengths) starts.push(starts.at(-1)! + Math.ceil(length / blockLength) * blockLength);
  return starts;
}

/** Authenticates the text that it stands behind, so no other spelling of it passes either. */
const macOf = (authenticator: KeyedHash, text: string) =>
  authenticator.digest(text).toString("base64url", 0, macLength);

/**
 * Seals and opens show-tokens: `st1.` or, bound to a session, `st2.`, a key id, and the counter's first block, the encrypted
 * payload and what authenticates all of these. AES-256 in counter mode, and over its text an HMAC under another key:
 * encrypt-then-MAC (decision O38).
 */
export class ShowTokens {
  readonly #secrets: ServiceSecrets;
  readonly #random: RandomPool;

  constructor(secrets: ServiceSecrets, random = new RandomPool()) {
    this.#secrets = secrets;
    this.#random = random;
  }

  /**
   * Seals tokens that differ in their survey alone, in the order of the surveys. Writes nothing anywhere: a token becomes
   * a row only when it is spent (decision D1).
   */
  seal(projectId: string, issue: IssuePayload, surveyIds: readonly string[]): string[] {
    if (surveyIds.length === 0) return [];
    const keyId = keyIdAt(issue.issuedAt);
    const keys = this.#secrets.tokenKeys(projectId, keyId);
    const prefix = `${issue.sessionId === undefined ? "st1" : "st2"}.${keyId}.`;
    const { lengthFor, write } = payloadPacker(issue);
    const lengths = surveyIds.map(lengthFor);
    const starts = blockStarts(lengths);
    const plain = Buffer.allocUnsafe(starts.at(-1)!);
    for (const [index, surveyId] of surveyIds.entries()) {
      write(plain, starts[index]!, surveyId, this.#random.take(randomLength));
    }
    // The counter's last bytes count the blocks that tokens of one reply share.
    const counter = Buffer.alloc(blockLength);
    counter.set(this.#random.take(nonceLength));
    const hidden = keys.cipher.apply(plain, counter);
    return lengths.map((length, index) => {
      const start = starts[index]!;
      const bytes = Buffer.allocUnsafe(blockLength + length);
      counter.writeUInt32BE(start / blockLength, nonceLength);
      bytes.set(counter);
      hidden.copy(bytes, blockLength, start, start + length);
      const text = prefix + bytes.toString("base64url");
      return text + macOf(keys.authenticator, text);
    });
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
    const text = token.slice(0, -macTextLength);
    const kind = text.slice(0, kindLength);
    const end = text.indexOf(".", kindLength);
    const keyId = text.slice(kindLength, end);
    if ((kind !== "st1." && kind !== "st2.") || !isCurrentKeyId(keyId, now)) throw invalid();
    const { cipher, authenticator } = this.#secrets.tokenKeys(projectId, keyId);
    if (!isSameDigest(token.slice(-macTextLength), macOf(authenticator, text))) throw invalid();
    const bytes = Buffer.from(text.slice(end + 1), "base64url");
    return cipher.apply(bytes.subarray(blockLength), bytes, bytes.readUInt32BE(nonceLength));
  }
}

/** Smaller ids are of spent tokens that the ledger may forget: never before `open` refuses them for their age. */
export function forgettableBefore(now: number): Uint8Array {
  return tokenIdBoundary(now - 2 * leewayInMs);
}
