import { openAuditFile } from "../operations/audit-file.ts";
import { createEventLog } from "../operations/event-log.ts";
import { type AdministrationEntry, type AuditEntry, type AuditEvent } from "../operations/events.ts";
import { type DatabaseFlags } from "./database-flags.ts";
import { type Terminal } from "./terminal.ts";

type Entry = (AuditEntry | AdministrationEntry) & Pick<AuditEvent, "projectId" | "outcome">;

/**
 * Writes an audit line about what a command read, removed or changed, to the audit file or, without one, to the log. Await it
 * before the result is printed.
 * @param command as typed, for example `project purge`
 */
export function auditOf(
  terminal: Terminal,
  { auditFile }: Pick<DatabaseFlags, "auditFile">,
  command: string,
) {
  const { operator, host, clock } = terminal;
  return async (entry: Entry): Promise<void> => {
    const event: AuditEvent = { kind: "audit", command, operator, host, ...entry };
    if (auditFile !== undefined) return openAuditFile(auditFile, clock).append(event);
    createEventLog(terminal.log, "info", clock).emit(event);
  };
}

/** Runs an act of several steps, and audits it as failed when it ends early. */
export async function orAuditFailure<T>(
  audit: (entry: Entry) => Promise<void>,
  entry: () => Entry,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await audit({ ...entry(), outcome: "failed" });
    throw error;
  }
}
