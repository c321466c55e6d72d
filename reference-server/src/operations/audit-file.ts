import { closeSync, openSync, readSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { type Clock } from "../domain/clock.ts";
import { timestamp } from "../domain/ids-and-times.ts";
import { UsageError } from "../domain/usage-error.ts";
import { StoreUnavailable } from "../store/store.ts";
import { type AuditEvent } from "./events.ts";

/** The fields of an audit line beside its time, as the README documents them for collectors. */
export function auditFields(event: AuditEvent): Record<string, unknown> {
  const { kind: _, action: what, host, projectId: project, outcome = "done", ...rest } = event;
  // A command is run by an account, a request made with a key.
  const { who, ...details } =
    "command" in rest
      ? (({ operator, ...of }) => ({ who: operator, ...of }))(rest)
      : (({ keyId, ...of }) => ({ who: keyId, ...of }))(rest);
  return { event: "audit", what, who, host, ...(project !== undefined && { project }), outcome, details };
}

/** Keeps audit lines apart from the log. */
export interface AuditFile {
  /** Resolves when the line is on disk. @throws StoreUnavailable when it cannot be written */
  append(event: AuditEvent): Promise<void>;
}

/**
 * A file of one JSON line per audited act. It is opened for each line, so that one that a collector has renamed is followed
 * by a new one, and several processes may append to it.
 * @throws UsageError when it cannot be written
 */
export function openAuditFile(path: string, clock: Clock): AuditFile {
  const mode = 0o600;
  try {
    const descriptor = openSync(path, "a+", mode);
    const first = Buffer.alloc(1);
    const length = readSync(descriptor, first, 0, 1, 0);
    closeSync(descriptor);
    // A misspelt path must not append lines to another file, such as the database.
    if (length > 0 && first.toString() !== "{")
      throw new Error("it holds something else; choose another path.");
  } catch (error) {
    throw new UsageError(`Could not write to the audit file ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  let isCutOff = false;
  return {
    async append(event) {
      const line = JSON.stringify({ time: timestamp(clock.now()), ...auditFields(event) });
      try {
        await appendFile(path, `${isCutOff ? "\n" : ""}${line}\n`, { mode, flush: true });
        isCutOff = false;
      } catch (error) {
        // A full disk may have taken the beginning.
        isCutOff = true;
        throw new StoreUnavailable("the audit file cannot be written", { cause: error });
      }
    },
  };
}
