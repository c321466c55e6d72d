import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { type KeyRecord } from "../store/project.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 43 characters of base 62 hold 256 bits; a CRC-32 fits into 6. */
const secretLength = 43;
const checksumLength = 6;

export const keyPrefixes = { publishable: "aw_pk_", secret: "aw_sk_" } as const;

export type KeyKind = keyof typeof keyPrefixes;

function base62(value: bigint, length: number): string {
  let digits = "";
  for (let rest = value; digits.length < length; rest /= 62n) digits = alphabet[Number(rest % 62n)] + digits;
  return digits;
}

const checksumOf = (text: string) => base62(BigInt(crc32(text)), checksumLength);

/** A new key: prefix, 256 random bits, and a checksum by which scanners recognise it offline. */
export function generateKey(kind: KeyKind, random: (size: number) => Buffer = randomBytes): string {
  const unsigned = keyPrefixes[kind] + base62(BigInt(`0x${random(32).toString("hex")}`), secretLength);
  return unsigned + checksumOf(unsigned);
}

/** Keys are random and long, so a fast hash protects them at rest. */
export function digestOfKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** First six and last four characters. */
export function displayOfKey(key: string): string {
  return `${key.slice(0, 6)}…${key.slice(-4)}`;
}

/** A key at the only moment at which a secret one can be read. */
export interface CreatedKey {
  record: KeyRecord;
  key: string;
}

type NewKey = Pick<KeyRecord, "projectId" | "kind" | "scopes" | "managedBy" | "createdAt" | "expiresAt">;

/** A key with its row. @param key Default: a generated one. */
export function createdKey(row: NewKey, key = generateKey(row.kind)): CreatedKey {
  const id = `key_${randomBytes(8).toString("hex")}`;
  const publishable = row.kind === "publishable" && { publishableKey: key };
  return {
    key,
    record: { ...row, id, ...publishable, digest: digestOfKey(key), display: displayOfKey(key) },
  };
}
