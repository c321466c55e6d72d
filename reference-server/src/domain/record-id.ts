import { RandomPool } from "./random-pool.ts";

const random = new RandomPool();

/** A UUID of version 7: sorts by time, tells nothing else (decision D67). */
export function newRecordId(now: number, pool: RandomPool = random): string {
  return uuidIn(pool.take(16), now);
}

/** The same out of 16 given bytes, the first 6 of which give way to the time. */
export function recordIdOf(at: number, given: Uint8Array): string {
  return uuidIn(Buffer.from(given.subarray(0, 16)), at);
}

/** Writes time, version and variant into the bytes. */
function uuidIn(bytes: Buffer, at: number): string {
  bytes.writeUIntBE(at, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Records stored before a moment have smaller ids, all others greater ones. */
export function idBoundary(at: number): string {
  const hex = Math.max(0, at).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
