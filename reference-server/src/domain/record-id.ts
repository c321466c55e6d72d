import { RandomPool } from "./random-pool.ts";

const random = new RandomPool();

/** A UUID of version 7: sorts by time, tells nothing else (decision D67). */
export function newRecordId(now: number, pool: RandomPool = random): string {
  const bytes = pool.take(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
