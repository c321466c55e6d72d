import { createEventLog } from "../operations/event-log.ts";
import { type AdministrationEntry, type AuditEntry, type AuditEvent } from "../operations/events.ts";
import { type Terminal } from "./terminal.ts";

/**
 * Writes an audit line about what a command read, removed or changed, in the format that `serve` uses for requests.
 * @param command as typed, for example `project purge`
 */
export function auditOf(terminal: Terminal, command: string) {
  const events = createEventLog(terminal.log, "info", terminal.clock);
  const { operator, host } = terminal;
  return (entry: (AuditEntry | AdministrationEntry) & Pick<AuditEvent, "projectId">): void =>
    events.emit({ kind: "audit", command, operator, host, ...entry });
}
