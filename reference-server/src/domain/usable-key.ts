import { type KeyRecord } from "../store/project.ts";

/** Whether a key opens anything at a moment: neither revoked nor expired (decision D26). */
export function isUsableKey({ revokedAt, expiresAt }: KeyRecord, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}
