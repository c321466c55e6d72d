import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { type Clock } from "../domain/clock.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import { UsageError } from "../domain/usage-error.ts";
import { auditFields, type AuditTrail } from "./audit-trail.ts";
import { AuditUnavailable } from "./audit-unavailable.ts";

function byteAt(descriptor: number, position: number): string {
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, position);
  return byte.toString();
}

/** Whether the last line is incomplete. Creates a missing file. @throws Error when it is no audit file */
function checkFile(path: string, mode: number): boolean {
  const descriptor = openSync(path, "a+", mode);
  try {
    const { size } = fstatSync(descriptor);
    if (size === 0) return false;
    // A misspelt path must not append lines to another file, such as the database.
    if (byteAt(descriptor, 0) !== "{") throw new Error("it holds something else; choose another path.");
    return byteAt(descriptor, size - 1) !== "\n";
  } finally {
    closeSync(descriptor);
  }
}

/**
 * A file of one JSON line per event. It is opened for each line, so that one that a collector has renamed is followed
 * by a new one, and several processes may append to it.
 * @throws UsageError when it cannot be written
 */
export function openAuditFile(path: string, clock: Clock): AuditTrail {
  const mode = 0o600;
  try {
    checkFile(path, mode);
  } catch (error) {
    throw new UsageError(`Could not write to the audit file ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return {
    async append(event) {
      const line = JSON.stringify({ time: timestamp(clock.now()), ...auditFields(event) });
      try {
        // A full disk may have taken the beginning of a line, of this process or another.
        const isCutOff = checkFile(path, mode);
        await appendFile(path, `${isCutOff ? "\n" : ""}${line}\n`, { mode, flush: true });
      } catch (error) {
        const { message } = error as Error;
        throw new AuditUnavailable(`Could not write to the audit file ${path}: ${message}.`, {
          cause: error,
        });
      }
    },
  };
}
