import { randomUUID } from "node:crypto";

/** A UUID of version 7 (RFC 9562): sorts by time and reveals nothing else. */
export function newRecordId(now: number): string {
  return recordId(now, randomUUID().slice(15));
}

/** Makes an id from a time and 16 given bytes, whose parts for time and version are not used. */
export function recordIdOf(at: number, given: Uint8Array): string {
  const bytes = Buffer.from(given.subarray(0, 16));
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return recordId(at, `${hex.slice(13, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`);
}

/** @param rest what follows the version */
const recordId = (at: number, rest: string) => `${idBoundary(at)}-7${rest}`;

/** Records stored before a moment have smaller ids, all others greater ones. */
export function idBoundary(at: number): string {
  const hex = Math.max(0, at).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** RFC 3339 in UTC with milliseconds, as all times of the wire. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
