import { createEventLog } from "../operations/event-log.ts";
import { type AuditEntry, type AuditEvent } from "../operations/events.ts";
import { type Terminal } from "./terminal.ts";

/**
 * Writes down on the log that a command read or removed data, in the form in which `serve` writes it of requests.
 * @param command as it is typed, for example `project purge`
 */
export function auditOf(terminal: Terminal, command: string) {
  const events = createEventLog(terminal.log, "info", terminal.clock);
  return (entry: AuditEntry & Pick<AuditEvent, "projectId">): void =>
    events.emit({ kind: "audit", command, operator: terminal.operator, ...entry });
}
