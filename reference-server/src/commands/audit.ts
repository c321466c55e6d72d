import { createEventLog } from "../operations/event-log.ts";
import { type AdministrationEntry, type AuditEntry, type AuditEvent } from "../operations/events.ts";
import { type Terminal } from "./terminal.ts";

/**
 * Writes an audit line of what a command read, removed or changed, in the form in which `serve` writes them of requests.
 * @param command as it is typed, for example `project purge`
 */
export function auditOf(terminal: Terminal, command: string) {
  const events = createEventLog(terminal.log, "info", terminal.clock);
  const { operator, host } = terminal;
  return (entry: (AuditEntry | AdministrationEntry) & Pick<AuditEvent, "projectId">): void =>
    events.emit({ kind: "audit", command, operator, host, ...entry });
}
