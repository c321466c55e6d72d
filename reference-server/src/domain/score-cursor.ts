import { timingSafeEqual, type KeyObject } from "node:crypto";
import { keyedHash } from "./respondent-hash.ts";
import { Refusal } from "./refusal.ts";

const version = 1;
const bodyLength = 1 + 6 + 1;
const macLength = 16;

const macOf = (key: KeyObject, body: Uint8Array) => keyedHash(key, body).subarray(0, macLength);

/** Version, sequence number and includeFailed, authenticated with the project's own key (decision D84). */
export function sealCursor(key: KeyObject, sequence: number, includeFailed: boolean): string {
  const body = Buffer.alloc(bodyLength);
  body.writeUInt8(version, 0);
  body.writeUIntBE(sequence, 1, 6);
  body.writeUInt8(includeFailed ? 1 : 0, 7);
  return Buffer.concat([body, macOf(key, body)]).toString("base64url");
}

/** The sequence number; it stays good after its rows were acknowledged or erased, and never expires. */
export function openCursor(key: KeyObject, cursor: string, includeFailed: boolean): number {
  const bytes = Buffer.from(cursor, "base64url");
  const body = bytes.subarray(0, bodyLength);
  const mac = bytes.subarray(bodyLength);
  const isGenuine =
    mac.length === macLength &&
    bytes.toString("base64url") === cursor &&
    timingSafeEqual(mac, macOf(key, body));
  if (!isGenuine || body.readUInt8(0) !== version || (body.readUInt8(7) === 1) !== includeFailed) {
    throw new Refusal("invalid_cursor", {
      detail: "Use nextCursor of the page before, with the same includeFailed, or begin without a cursor.",
    });
  }
  return body.readUIntBE(1, 6);
}
