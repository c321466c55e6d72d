import { closeSync, openSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { type Clock } from "../domain/clock.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import { UsageError } from "../domain/usage-error.ts";
import { auditFields, type AuditTrail } from "./audit-trail.ts";
import { AuditUnavailable } from "./audit-unavailable.ts";
import { endsUnfinished } from "./json-lines.ts";

const mode = 0o600;

/** Creates a missing file. @throws Error when it is no audit file */
function isCutOff(path: string): boolean {
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
  const failure = (error: unknown) =>
    `Could not write to the audit file ${path}: ${(error as Error).message}`;
  const attempt = async (write: () => unknown) => {
    try {
      await write();
    } catch (error) {
      throw new AuditUnavailable(`${failure(error)}.`, { cause: error });
    }
  };
  try {
    isCutOff(path);
  } catch (error) {
    throw new UsageError(failure(error), { cause: error });
  }
  return {
    probe: () => attempt(() => isCutOff(path)),
    append: (event) =>
      attempt(() => {
        const line = JSON.stringify({ time: timestamp(clock.now()), ...auditFields(event) });
        const separator = isCutOff(path) ? "\n" : "";
        return appendFile(path, `${separator}${line}\n`, { mode, flush: true });
      }),
  };
}
