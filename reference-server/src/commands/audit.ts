import { newRecordId } from "../domain/ids-and-times.ts";
import { openAuditFile } from "../operations/audit-file.ts";
import { openAuditStream } from "../operations/audit-stream.ts";
import { Audit, type AuditTrail } from "../operations/audit-trail.ts";
import { type DatabaseFlags } from "./database-flags.ts";
import { type Terminal } from "./terminal.ts";

type AuditFlags = Pick<DatabaseFlags, "auditFile">;

/** The audit file or, without one, standard error. @throws UsageError for a file that cannot be written */
function auditTrailOf({ clock, log }: Terminal, { auditFile }: AuditFlags): AuditTrail {
  return auditFile === undefined ? openAuditStream(log, clock) : openAuditFile(auditFile, clock);
}

/**
 * The audit of one run of a command.
 * @param command as typed, for example `project purge`
 */
export function auditOf(terminal: Terminal, flags: AuditFlags, command: string): Audit {
  const { operator, host, clock } = terminal;
  const act = newRecordId(clock.now());
  return new Audit(auditTrailOf(terminal, flags), { act, command, operator, host });
}
