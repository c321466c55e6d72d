import { type ScoredRun } from "@afterword/protocol";
import { dayInMs, hourInMs } from "@afterword/protocol/duration";
import { idBoundary } from "./ids-and-times.ts";
import { Refusal } from "./refusal.ts";
import { type MasterKeys } from "./master-keys.ts";

/** The content of a show-token; only the service can read it. */
export interface TokenPayload {
  /**
   * Identifies the token in the ledger of spent tokens: a UUID of version 7 whose time is `expiresAt`, or what
   * `runTokenId` returns.
   */
  tokenId: string;
  /** The project's epoch when it was issued. */
  epoch: number;
  /** Milliseconds since 1970, like `expiresAt`. */
  issuedAt: number;
  expiresAt: number;
  surveyId: string;
  respondentId?: string;
  /** Present on session-bound tokens alone. */
  sessionId?: string;
  observationId?: string;
  taskType?: string;
  run?: ScoredRun;
}

/**
 * Prefix of the ids of tokens that exist once per run. Other ids begin with a time of expiry, after which this one sorts, so
 * that the ledger keeps these tokens until some time after their use (decision D121).
 */
const runPrefix = "ffff";

/** The id of every token of one run and survey. @param hash 16 bytes, from `runTokenHash` */
export function runTokenId(hash: Uint8Array): string {
  return runPrefix + Buffer.from(hash).toString("hex").slice(runPrefix.length);
}

const minuteInMs = 60_000;
/** Nodes' clocks differ a little. */
export const leewayInMs = minuteInMs;
const futureInMs = 5 * minuteInMs;

/** Largest jump ahead of a clock that is believed: the ledger keeps tokens for as much longer. */
export const toleratedJumpInMs = hourInMs;

/** The longest lifetime a config may set. */
export const longestLifetimeInMs = 30 * dayInMs;
/** No token of a run that was rated longer ago is alive: the rating ended its minting. */
export const livingRunsInMs = longestLifetimeInMs + toleratedJumpInMs + dayInMs;

/** Kind and key id, which are authenticated as they stand, and what is sealed. */
const tokenPattern = /^(st[12]\.([0-9a-z]+))\.([\w-]+)$/;

/** A key seals for one day. */
const dayNumber = (at: number) => Math.floor(at / dayInMs);
const keyIdAt = (at: number) => dayNumber(at).toString(36);
const purposeOf = (projectId: string, keyId: string) => `show-token/${keyId}/${projectId}`;

/** Says whether a token that is still good can name this key; any other key id is refused before a key is derived. */
function isCurrentKeyId(keyId: string, now: number): boolean {
  const day = Number.parseInt(keyId, 36);
  const oldest = dayNumber(now - longestLifetimeInMs - leewayInMs);
  return day >= oldest && day <= dayNumber(now + futureInMs) && day.toString(36) === keyId;
}

export const tokenInvalid = () =>
  new Refusal("token_invalid", { detail: "Fetch a new show-token and use it unchanged." });

export const isExpired = ({ expiresAt }: TokenPayload, now: number) => now > expiresAt + leewayInMs;

type TokenKeys = Pick<MasterKeys, "sealing" | "opening"> & { readonly problem?: Error | undefined };

/**
 * Seals a show-token, and stores nothing: it becomes a row only when it is spent. A token is `st1.` or, bound to a session,
 * `st2.`, a key id, a dot, and in base64url the nonce, the payload as JSON under AES-256-GCM, and the tag. Kind and key id are
 * the associated data.
 */
export function sealShowToken(keys: TokenKeys, projectId: string, payload: TokenPayload): string {
  const keyId = keyIdAt(payload.issuedAt);
  const header = `${payload.sessionId === undefined ? "st1" : "st2"}.${keyId}`;
  const key = keys.sealing(payload.issuedAt);
  return `${header}.${key.seal(purposeOf(projectId, keyId), header, JSON.stringify(payload))}`;
}

/** @throws Refusal `token_invalid` or `token_expired`, both 401; StoreUnavailable while this process lacks the current key */
export function openShowToken(keys: TokenKeys, projectId: string, token: string, now: number): TokenPayload {
  const payload = readShowToken(keys, projectId, token, now);
  if (!payload) throw tokenInvalid();
  if (isExpired(payload, now)) throw new Refusal("token_expired", { detail: "Fetch a new show-token." });
  return payload;
}

/** As `openShowToken`, also for a token that has expired; nothing for one that is not the project's. */
export function readShowToken(
  keys: TokenKeys,
  projectId: string,
  token: string,
  now: number,
): TokenPayload | undefined {
  const [, header, keyId, sealed] = tokenPattern.exec(token) ?? [];
  if (!header || !keyId || !sealed || !isCurrentKeyId(keyId, now)) return undefined;
  for (const masterKey of keys.opening(now)) {
    try {
      const text = masterKey.unseal(purposeOf(projectId, keyId), header, sealed);
      const payload = JSON.parse(text) as TokenPayload;
      return payload.issuedAt > now + futureInMs ? undefined : payload;
    } catch {
      // The key before this one may have sealed it.
    }
  }
  if (keys.problem) throw keys.problem;
  return undefined;
}

/** A token's id as the ledger (table `spent_tokens`) stores it: 16 bytes, which sort by time of expiry, runs last. */
export function ledgerKey({ tokenId }: TokenPayload): Uint8Array {
  return Buffer.from(tokenId.replaceAll("-", ""), "hex");
}

/**
 * Smaller keys are of spent tokens that the ledger may forget. It keeps each for an hour longer than
 * `openShowToken` could accept it: the clock of the clean-up may be ahead by as much.
 */
export function forgettableBefore(now: number): Uint8Array {
  const boundary = idBoundary(now - toleratedJumpInMs - 2 * leewayInMs);
  return Buffer.from(boundary.replace("-", "").padEnd(32, "0"), "hex");
}
