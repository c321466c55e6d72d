import { closeSync, openSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { type Clock } from "../domain/clock.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import { UsageError } from "../domain/usage-error.ts";
import { auditFields, type AuditTrail } from "./audit-trail.ts";
import { AuditUnavailable } from "./audit-unavailable.ts";
import { endsUnfinished } from "./json-lines.ts";

/** Creates a missing file. @throws Error when it is no audit file */
function isCutOff(path: string, mode: number): boolean {
  const descriptor = openSync(path, "a+", mode);
  try {
    return endsUnfinished(descriptor);
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
    isCutOff(path, mode);
  } catch (error) {
    throw new UsageError(`Could not write to the audit file ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const unavailable = (cause: Error) =>
    new AuditUnavailable(`Could not write to the audit file ${path}: ${cause.message}.`, { cause });
  return {
    async probe() {
      try {
        isCutOff(path, mode);
      } catch (error) {
        throw unavailable(error as Error);
      }
    },
    async append(event) {
      const line = JSON.stringify({ time: timestamp(clock.now()), ...auditFields(event) });
      try {
        const separator = isCutOff(path, mode) ? "\n" : "";
        await appendFile(path, `${separator}${line}\n`, { mode, flush: true });
      } catch (error) {
        throw unavailable(error as Error);
      }
    },
  };
}
