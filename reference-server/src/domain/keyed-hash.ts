import { createHmac, type KeyObject } from "node:crypto";

/** HMAC-SHA-256: 32 bytes. */
export function keyedHash(key: KeyObject, data: string | Uint8Array): Buffer {
  return createHmac("sha256", key).update(data).digest();
}
