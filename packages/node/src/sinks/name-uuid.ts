import { createHash } from "node:crypto";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export const isUuid = (id: string) => uuid.test(id);

/** This project's namespace (RFC 9562 section 5.5). It never changes: old scores would get new ids. */
const nameSpace = Buffer.from("6f0d1f5e3c1b4f0e9a57d2c4b8a1e6f3", "hex");

/** The id itself if it is a UUID, else a version 5 UUID derived from it, the same at each attempt. */
export function nameUuid(id: string): string {
  if (isUuid(id)) return id.toLowerCase();
  const bytes = createHash("sha1").update(nameSpace).update(id).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
